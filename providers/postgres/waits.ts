import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { Queue } from '../queue.ts';
import type { Place } from './armed-fault.ts';

/** Milliseconds between two looks at who waits. */
const interval = 20;

/** Looks, until it is stopped, who waits for the locks of one session, or behind somebody who does. */
export class Waits {
  readonly #place: Place;
  readonly #holder: number;
  readonly #statements = new Set<string>();
  readonly #queue = new Queue();
  readonly #looking: Promise<void>;
  #stopped = false;

  private constructor(place: Place, holder: number) {
    this.#place = place;
    this.#holder = holder;
    this.#looking = this.#keepLooking().catch(() => {});
  }

  /** Who waits for the session that this client is. */
  static async for(place: Place, client: ClientBase): Promise<Waits> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new Waits(place, rows[0]!.pid);
  }

  /** Statements that have been seen to wait. */
  get statements(): number {
    return this.#statements.size;
  }

  /** Resolves when so many sessions have been seen to wait, or when no other can come. */
  holds(sessions: number): Promise<void> {
    return this.#queue.holds(sessions);
  }

  async look(): Promise<void> {
    for (const { process, since } of await this.#place.run((client) => waitingFor(client, this.#holder))) {
      this.#statements.add(`${process} ${since}`);
      this.#queue.join(process);
    }
  }

  /** To be called when the session has ended: nobody can wait for it any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#queue.close();
    await this.#looking;
  }

  async #keepLooking(): Promise<void> {
    while (!this.#stopped) {
      await this.look();
      await pause(interval, undefined, { ref: false });
    }
  }
}

/**
 * The statements that wait at this moment, each by its process and the begin of its waiting. Of several that wait for
 * one row, the first waits for who has locked it, and the others for the first.
 */
async function waitingFor(client: ClientBase, holder: number): Promise<{ process: string; since: string }[]> {
  const { rows } = await client.query<{ process: string; since: string }>(
    `WITH RECURSIVE
       waits AS MATERIALIZED (
         SELECT DISTINCT pid, waitstart, pg_blocking_pids(pid) AS blockers FROM pg_locks
         WHERE NOT granted AND waitstart IS NOT NULL),
       line AS (
         SELECT pid, waitstart FROM waits WHERE $1 = ANY (blockers)
         UNION SELECT waits.pid, waits.waitstart FROM waits JOIN line ON line.pid = ANY (waits.blockers))
     SELECT pid::text AS process, waitstart::text AS since FROM line`,
    [holder],
  );
  return rows;
}
