import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { LeftLocked } from '../../contracts/kernel/engine.ts';
import type { SqliteSite } from '../sites.ts';
import { openOwn } from './database.ts';
import { isBusy, leftOpen } from './errors.ts';

/** Milliseconds that the judge waits for a lock of the subject's. */
const longestWait = 2000;
/** Milliseconds between two tries; SQLite's own waiting would stop everything else in the judge's thread. */
const interval = 5;

/**
 * Does the judge's own work, which a lock leaves undone as a whole, once no lock is in its way; says of one that stays
 * that the subject has left it.
 */
export async function unlessLocked<T>(work: () => T): Promise<T> {
  for (const until = performance.now() + longestWait; ; await pause(interval)) {
    try {
      return work();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (performance.now() > until) throw new LeftLocked(leftOpen, { cause });
    }
  }
}

/**
 * The judge's own connection to a database.
 *
 * A database in shared memory lives as long as a connection to it does, so that one is opened at once. Of a file, it is
 * checked each time that it is still the one that was opened: a subject may delete it and make a new one.
 */
export class DirectConnection {
  readonly #site: SqliteSite;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;

  constructor(site: SqliteSite) {
    this.#site = site;
    if (site.mode === 'shared') this.#db = openOwn(site.path, 0);
  }

  /** The connection, where it has been needed so far. */
  get opened(): DatabaseSync | undefined {
    return this.#db;
  }

  /** The connection, or undefined while there is no database. */
  get(): DatabaseSync | undefined {
    if (this.#site.mode === 'shared') return this.#db;
    const inode = statSync(this.#site.path, { throwIfNoEntry: false })?.ino;
    if (inode !== this.#inode) {
      this.close();
      if (inode !== undefined) this.#db = openOwn(this.#site.path, 0);
      this.#inode = inode;
    }
    return this.#db;
  }

  /** The connection; throws where there is no database. */
  required(): DatabaseSync {
    const db = this.get();
    if (!db) throw new Error('sqlite: there is no database file');
    return db;
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#inode = undefined;
  }
}
