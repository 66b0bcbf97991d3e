import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { ArmedFault, Crashed, Sprung } from '../../contracts/kernel/engine.ts';
import type { Tap } from '../wire/index.ts';
import type { Connections } from './connections.ts';
import { ours } from './sql.ts';

/** Where a fault is to be armed. */
export interface Place {
  connections: Connections;
  /** What the subject is connected through. */
  tap: Tap;
  schema: string;
  /** Kills the server, before this returns; resolves when it is gone. */
  crash(): Promise<Crashed>;
  /** Runs work on a connection of the judge's that looks into the schema. */
  run<T>(work: (client: ClientBase) => Promise<T>): Promise<T>;
}

export function newNonce(): string {
  return `${ours}${randomBytes(6).toString('hex')}`;
}

/** An armed fault whose last count is kept when it is disarmed; disarming again, or after a failure, does what is left. */
export function armedFault(
  parts: Pick<ArmedFault, 'nonce' | 'waiting'> & { count(): Promise<Sprung>; remove(): Promise<void> },
): ArmedFault {
  let last: Sprung | undefined;
  let removed = false;
  return {
    nonce: parts.nonce,
    ...(parts.waiting && { waiting: parts.waiting }),
    sprung: async () => last ?? parts.count(),
    disarm: async () => {
      last ??= await parts.count();
      if (removed) return;
      await parts.remove();
      removed = true;
    },
  };
}
