import { randomInt } from 'node:crypto';
import type { Client } from 'pg';
import type { Connections } from './connections.ts';
import { quoteName } from './sql.ts';

/** First half of the keys of our advisory locks: the letters "ct". */
const lockClass = 0x6374;
const mark = 'contract-test: owned by run';

/**
 * What tells the schemas of this run from everybody else's: a mark with the run's number, whose advisory lock a session
 * of ours holds as long as the run lives.
 */
export class Owner {
  readonly #connections: Connections;
  readonly #run = randomInt(1, 2 ** 31 - 1);
  #session: Client | undefined;
  #namespaces = 0;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The comment by which a schema is known as ours. */
  get mark(): string {
    return `${mark} ${this.#run}`;
  }

  /** Prefix of the names of everything that this run makes. */
  get prefix(): string {
    return `ct_${this.#run.toString(36)}`;
  }

  nextName(): string {
    this.#namespaces += 1;
    return `${this.prefix}_${this.#namespaces}`;
  }

  /** Takes the run's lock, again where its session was lost. */
  async claim(): Promise<void> {
    if (this.#session) return;
    const session = await this.#connections.open('pg_catalog');
    session.once('end', () => {
      if (this.#session === session) this.#session = undefined;
    });
    this.#session = session;
    await session.query('SELECT pg_advisory_lock($1, $2)', [lockClass, this.#run]);
  }

  /** Drops the marked schemas whose owners are gone; returns their names. */
  async sweep(): Promise<string[]> {
    const session = this.#session!;
    const { rows } = await session.query<{ name: string; run: string }>(
      `SELECT nspname AS name, substring(description FROM '^${mark} (\\d+)$') AS run
       FROM pg_namespace JOIN pg_description d ON d.objoid = pg_namespace.oid AND d.classoid = 'pg_namespace'::regclass
       WHERE description ~ '^${mark} \\d+$' AND nspname ~ '^ct_' AND pg_has_role(nspowner, 'USAGE')`,
    );
    const swept: string[] = [];
    for (const { name, run } of rows) {
      if (Number(run) === this.#run) continue;
      const key = [lockClass, Number(run)];
      const lock = await session.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS free', key);
      if (!lock.rows[0]!.free) continue;
      try {
        await session.query(`DROP SCHEMA IF EXISTS ${quoteName(name)} CASCADE`);
        swept.push(name);
      } finally {
        await session.query('SELECT pg_advisory_unlock($1, $2)', key);
      }
    }
    return swept;
  }

  async release(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.end();
  }
}
