import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { EngineFacts, Extra } from '../../index.ts';

/** Milliseconds that a write waits for another connection's lock. */
const lockTimeout = 2000;

/**
 * One connection to a store, with its prepared statements.
 *
 * What is committed to a file outlasts its process by two settings: the write-ahead log (WAL), which has the whole
 * transaction before COMMIT returns, and `synchronous = FULL`, by which it is on the disk by then and not only handed to
 * the system. With NORMAL a loss of power could take the last commits; a killed process takes none.
 */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: lockTimeout });
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  }

  /** Creates the tables where they are not there yet. */
  createTables(schema: string): void {
    this.#database.exec(schema);
  }

  /** Runs a statement and returns the id of the row it inserted; undefined where it left the row out. */
  insert(sql: string, ...values: SQLInputValue[]): bigint | undefined {
    const { changes, lastInsertRowid } = this.#prepared(sql).run(...values);
    return changes === 0n ? undefined : (lastInsertRowid as bigint);
  }

  /** Runs a statement and returns its rows; integers are bigints, since ids may exceed 2^53. */
  rows<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs statements of a caller's own. */
  run(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs `work` in a transaction: all of it is committed, or none. */
  transaction<T>(work: () => T): T {
    // A rollback that failed has left its transaction open; none of that may be committed with this one.
    if (this.#database.isTransaction) this.#step('ROLLBACK');
    this.#step('BEGIN IMMEDIATE');
    return this.#whole(work, 'COMMIT', ['ROLLBACK']);
  }

  /** Runs `work` in a part of the open transaction that can be undone alone. */
  savepoint<T>(work: () => T): T {
    this.#step('SAVEPOINT part');
    return this.#whole(work, 'RELEASE part', ['ROLLBACK TO part', 'RELEASE part']);
  }

  close(): void {
    this.#database.close();
  }

  #whole<T>(work: () => T, finish: string, undo: readonly string[]): T {
    try {
      const result = work();
      this.#step(finish);
      return result;
    } catch (error) {
      this.#undo(error, undo);
      throw error;
    }
  }

  /** Undoes what was done; when that fails as well, the first error stays the cause. */
  #undo(error: unknown, statements: readonly string[]): void {
    // Some errors end the transaction by themselves.
    if (!this.#database.isTransaction) return;
    try {
      for (const sql of statements) this.#step(sql);
    } catch (second) {
      throw new Error(`${String(error)}; and the rollback failed: ${String(second)}`, { cause: error });
    }
  }

  #step(sql: string): void {
    this.#prepared(sql).run();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** A file outlives its process, and what it holds is committed as `Connection` says; a database in memory does not. */
export function survives({ mode }: EngineFacts): Extra[] {
  return mode === 'file' ? ['durable', 'persistent'] : [];
}
