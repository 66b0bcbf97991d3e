import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { SqliteSite } from '../sites.ts';
import { openOwn } from './database.ts';
import { unlessLocked } from './errors.ts';

/** Milliseconds that the judge waits for a lock of the subject's. */
const wait = 2000;

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
    if (site.mode === 'shared') this.#db = openOwn(site.path, wait);
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
      this.#db?.close();
      this.#db = inode === undefined ? undefined : openOwn(this.#site.path, wait);
      this.#inode = inode;
    }
    return this.#db;
  }

  /** The connection; throws where there is no database. */
  required(): DatabaseSync {
    const db = unlessLocked(() => this.get());
    if (!db) throw new Error('sqlite: there is no database file');
    return db;
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
    this.#inode = undefined;
  }
}
