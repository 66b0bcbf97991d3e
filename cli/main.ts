import type { Writable } from 'node:stream';
import { packageVersion } from '../runner/version.ts';
import type { Context, Toolkit } from './context.ts';
import { watchSignals } from './interrupt.ts';
import { execute } from './program.ts';

/** Runs the command line of this process, and ends the process with the exit code. */
export async function main(load = loadToolkit): Promise<void> {
  const interrupts = watchSignals(process, {
    onFirst: (name) => process.stderr.write(`\n${name}: cleaning up (once more to leave at once)\n`),
    exit: (code) => process.exit(code),
    now: () => performance.now(),
  });
  for (const stream of [process.stdout, process.stderr]) endQuietlyWith(stream, interrupts);
  const cwd = currentFolder();
  if (cwd === undefined) {
    process.stderr.write('contract-test: the folder that it was started in is not there any more\n');
    return process.exit(2);
  }
  const context: Context = {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd,
    version: packageVersion(),
    signal: interrupts.signal,
    load,
  };
  const exitCode = await execute(process.argv.slice(2), context);
  await Promise.all([process.stdout, process.stderr].map(flushed));
  // Something that a backend left open in this thread must not keep the process.
  process.exit(exitCode);
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

async function loadToolkit(): Promise<Toolkit> {
  const [contracts, providers, references, run, doctor] = await Promise.all([
    import('../contracts/index.ts'),
    import('../providers/index.ts'),
    import('../runner/references.ts'),
    import('../runner/run.ts'),
    import('../runner/doctor.ts'),
  ]);
  const prove: Toolkit['prove'] = async (...args) => (await import('../runner/prove.ts')).prove(...args);
  const mutants = async () => (await import('../contracts/mutants.ts')).mutants;
  return { ...contracts, ...providers, ...references, ...run, ...doctor, prove, mutants };
}

/** `| head` closes the pipe when it has seen enough: that ends the command, and is no error. */
function endQuietlyWith(stream: Writable, interrupts: AbortController): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    interrupts.abort(new Error('nobody reads the output any more'));
  });
}

/** Waits until everything is written; a pipe that was closed counts as written. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
