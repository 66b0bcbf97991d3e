import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ArmedFault } from '../../contracts/kernel/engine.ts';
import { Queue } from '../queue.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { tablesOf } from './catalog.ts';
import { orLeftLocked } from './connections.ts';
import { quoteName } from './sql.ts';

/** SQLSTATEs of a statement that waited too long: lock_timeout, and statement_timeout or a cancel request. */
const endedByWaiting = new Set(['55P03', '57014']);

/** Milliseconds between two looks at who waits. */
const interval = 20;

/**
 * Holds, in a session of its own, a lock on every table that lets others read but not write.
 *
 * Springs once for each statement that is seen to wait for it. Whether the waiting ends in an error is up to the
 * subject's own time-outs; those errors are counted on the wire.
 */
export async function armLock(place: Place): Promise<ArmedFault> {
  const holder = await place.connections.open(place.schema);
  const waits = new Set<string>();
  const queue = new Queue();
  let holds = true;
  let recording = place.tap.record();
  let raised = 0;
  try {
    const pid = await takeLock(place, holder);
    const look = async (): Promise<void> => {
      for (const { process, since } of await waitsFor(place, pid)) {
        waits.add(`${process} ${since}`);
        queue.join(process);
      }
    };
    const looking = (async () => {
      while (holds) {
        await look();
        await pause(interval, undefined, { ref: false });
      }
    })().catch(() => {});
    return armedFault({
      nonce: newNonce(),
      waiting: (sessions) => queue.holds(sessions),
      count: async () => {
        await look();
        const { statements } = await recording.stop();
        recording = place.tap.record();
        raised += statements.filter(({ sqlstate }) => endedByWaiting.has(sqlstate ?? '')).length;
        return { count: waits.size, rowsBefore: 0, raised };
      },
      remove: async () => {
        holds = false;
        await holder.end();
        await Promise.all([looking, recording.stop()]);
      },
    });
  } catch (cause) {
    await holder.end();
    throw cause;
  }
}

/** Returns the process of the session that holds the lock. */
async function takeLock(place: Place, holder: Client): Promise<number> {
  const tables = await place.run((client) => tablesOf(client, place.schema));
  await holder.query('BEGIN');
  if (tables.length > 0) {
    const names = tables.map(({ name }) => quoteName(name)).join(', ');
    await orLeftLocked(holder.query(`LOCK TABLE ${names} IN EXCLUSIVE MODE`));
  }
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** The statements that wait for a session at this moment, each by its process and the begin of its waiting. */
async function waitsFor(place: Place, pid: number): Promise<{ process: string; since: string }[]> {
  const { rows } = await place.run((client) =>
    client.query<{ process: string; since: string }>(
      `SELECT DISTINCT pid::text AS process, waitstart::text AS since FROM pg_locks
       WHERE NOT granted AND waitstart IS NOT NULL AND $1 = ANY (pg_blocking_pids(pid))`,
      [pid],
    ),
  );
  return rows;
}
