/**
 * Runs in a process of its own beside a private server. When the judge ends, however it ends, its end of the pipe
 * closes; then the server is ended and its directory removed.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endServerOf } from './processes.ts';

const directory = process.argv[2]!;

// Whatever ends the judge's whole group must not end this before its work is done.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {});

process.stdin.resume();
process.stdin.once('close', async () => {
  await endServerOf(join(directory, 'data'));
  if (!existsSync(join(directory, 'KEPT'))) rmSync(directory, { recursive: true, force: true });
});
