import { fork } from 'node:child_process';
import type { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Found } from '../../contracts/kernel/engine.ts';
import { siblingModule } from '../sibling-module.ts';
import { shorten } from './sql.ts';

/** Milliseconds that a statement has which might never end. */
const longest = 5000;

export interface ReadRequest {
  path: string;
  statement: string;
}
export type ReadReply = { found: Found } | { error: string };

/** Whether a statement has a recursive step, by itself or by a view: nothing else in SQLite can go on for ever. */
export function mayNeverEnd(db: DatabaseSync, statement: string): boolean {
  try {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
    return plan.some(({ detail }) => detail === 'RECURSIVE STEP');
  } catch {
    // Running it will say what is wrong with it.
    return false;
  }
}

/** Reads in a process of its own: a statement that runs inside a thread cannot be ended from outside. */
export function readWithin(request: ReadRequest): Promise<Found> {
  return new Promise((resolve, reject) => {
    const reader = fork(fileURLToPath(siblingModule('reader', import.meta.url)), {
      execArgv: [],
      serialization: 'advanced',
    });
    const timer = setTimeout(() => reader.kill('SIGKILL'), longest);
    reader.once('message', (reply: ReadReply) => {
      if ('found' in reply) resolve(reply.found);
      else reject(new Error(reply.error));
    });
    reader.once('error', reject);
    reader.once('close', () => {
      clearTimeout(timer);
      reject(new Error(`sqlite: a recursive statement did not end in ${longest} ms: ${shorten(request.statement)}`));
    });
    reader.send(request);
  });
}
