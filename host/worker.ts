import { Worker } from 'node:worker_threads';
import { siblingModule } from '../providers/sibling-module.ts';
import type { Link, LinkListener } from './client.ts';

const memoryMb = 512;
/** Milliseconds in which a thread ends that can be ended. */
const endsWithin = 2000;
let threadsLeftBehind = false;

/** A host in a thread of its own. */
export function workerLink(listener: LinkListener): Link {
  const worker = new Worker(siblingModule('worker-thread', import.meta.url), {
    // The judge's own flags (a test runner's loader, say) are none of the subject's business.
    execArgv: [],
    // What gets around the captured console goes nowhere instead of into the judge's output.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();

  let fault: string | undefined;
  worker.on('message', listener.message);
  worker.on('error', (error: NodeJS.ErrnoException) => {
    fault = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `out of memory (limit ${memoryMb} MB)` : String(error);
  });
  worker.on('exit', (code) => listener.ended(fault ?? `process.exit(${code})`));

  return {
    send: (request) => worker.postMessage(request),
    end: async () => {
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = setTimeout(resolve, endsWithin, 'late');
      if ((await Promise.race([worker.terminate(), late])) === 'late') leaveBehind();
      clearTimeout(timer);
    },
  };
}

/**
 * A thread that is inside native code, a statement without end for example, cannot be ended, and Node would wait for it
 * at exit. What is executed in the place of this process takes no threads along.
 */
function leaveBehind(): void {
  if (threadsLeftBehind) return;
  threadsLeftBehind = true;
  process.once('exit', (code) => process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`]));
}
