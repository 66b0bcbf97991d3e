import { fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { World } from '../contracts/kernel/guard.ts';
import { siblingModule } from '../providers/sibling-module.ts';
import type { Link, LinkListener } from './client.ts';
import type { HostMessage } from './protocol.ts';

const memoryMb = 512;
const textKept = 8 * 1024;

/** A host in a process of its own; messages are JSON over Node's IPC channel. */
export function processLink(listener: LinkListener, world: World): Link {
  const child = fork(fileURLToPath(siblingModule('process-child', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${memoryMb}`],
    serialization: 'json',
    env: world.zone === undefined ? process.env : { ...process.env, TZ: world.zone },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const gone = new Promise((resolve) => child.once('close', resolve));
  // Native code and the engine's last words get around the captured console.
  let lastWords = '';
  const overhear = (stream: Readable) =>
    stream.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      lastWords = (lastWords + text).slice(-textKept);
      listener.message({ event: 'console', bytes: chunk.byteLength, text: text.slice(0, textKept) });
    });
  overhear(child.stdout!);
  overhear(child.stderr!);

  child.on('message', (message) => listener.message(message as HostMessage));
  child.on('error', (error) => listener.ended(String(error)));
  // After `close`, unlike after `exit`, every message has been heard.
  child.on('close', (code, signal) => {
    if (lastWords.includes('heap out of memory')) listener.ended(`out of memory (limit ${memoryMb} MB)`);
    else listener.ended(signal === null ? `process.exit(${code})` : `killed by ${signal}`);
  });

  return {
    // A failing send means that the process is gone, which `close` reports.
    send: (request) => void child.send(request, () => {}),
    end: async () => {
      child.kill('SIGKILL');
      if (child.pid !== undefined) await gone;
    },
  };
}
