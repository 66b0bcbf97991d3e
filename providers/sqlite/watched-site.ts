import type { DatabaseSync } from 'node:sqlite';
import type { SeenStatement } from '../../contracts/kernel/engine.ts';
import { monotonicMs } from '../clock.ts';
import type { FaultCounter } from './fault-counters.ts';
import type { Connection, Ending } from './instrument.ts';
import { kindOf, shorten } from './sql.ts';
import type { Recording } from './watching.ts';

/** What one host knows of one database: the subject's connections, the armed faults and the recordings. */
export class WatchedSite {
  readonly connections = new Set<Connection>();
  readonly faults = new Map<string, FaultCounter>();
  readonly recordings = new Map<string, Recording>();
  /** Connections that the subject has opened so far. */
  opened = 0;
  #ownWork = 0;

  /** The connection that was opened last. */
  get connection(): Connection | undefined {
    return [...this.connections].at(-1);
  }

  /** Runs statements of ours on a connection of the subject's: they are not recorded and spring nothing. */
  quietly<T>(work: () => T): T {
    this.#ownWork += 1;
    try {
      return work();
    } finally {
      this.#ownWork -= 1;
    }
  }

  gate(connection: Connection, nonce: string): boolean {
    if (this.#ownWork > 0) return false;
    return this.faults.get(nonce)?.gate(connection) ?? false;
  }

  /** A row has been changed by the statement that runs. */
  look(): void {
    if (this.#ownWork > 0) return;
    this.#record((recording) => recording.row());
  }

  began(connection: Connection, sql: string): (ending: Ending) => void {
    if (this.#ownWork > 0 || (this.faults.size === 0 && this.recordings.size === 0)) return () => {};
    const insideTransaction = inTransaction(connection.db);
    const statement: SeenStatement = {
      kind: kindOf(sql),
      text: shorten(sql),
      connection: connection.number,
      startedMs: 0,
      endedMs: 0,
    };
    // A savepoint outside a transaction begins one.
    if (!insideTransaction && /^\s*savepoint\b/i.test(sql)) statement.kind = 'begin';
    const open = this.#transactionIsOpen();
    this.#record((recording) => recording.begin(statement, open));
    for (const fault of this.faults.values()) fault.began();
    statement.startedMs = monotonicMs();
    statement.endedMs = statement.startedMs;
    return (ending) => {
      statement.endedMs = monotonicMs();
      this.#ended(connection, sql, statement, insideTransaction, ending);
    };
  }

  #ended(
    connection: Connection,
    sql: string,
    statement: SeenStatement,
    insideTransaction: boolean,
    ending: Ending,
  ): void {
    const failed = 'error' in ending;
    // The release of the outermost savepoint commits.
    if (insideTransaction && /^\s*release\b/i.test(sql) && (failed || !inTransaction(connection.db))) {
      statement.kind = 'commit';
    }
    if (failed) {
      statement.failed = ending.error instanceof Error ? ending.error.message : String(ending.error);
      const failure = { connection, kind: statement.kind, error: ending.error, insideTransaction };
      for (const fault of this.faults.values()) fault.failed(failure);
    } else {
      if (statement.kind === 'write') statement.rows = ending.rows ?? this.#changes(connection.db);
      for (const fault of this.faults.values()) fault.succeeded(statement.rows ?? 0);
    }
    const open = this.#transactionIsOpen();
    this.#record((recording) => recording.look(open));
  }

  #record(work: (recording: Recording) => void): void {
    for (const recording of this.recordings.values()) this.quietly(() => work(recording));
  }

  #transactionIsOpen(): boolean {
    return [...this.connections].some(({ db }) => inTransaction(db));
  }

  #changes(db: DatabaseSync): number {
    return this.quietly(() => Number(db.prepare('SELECT changes() AS n').get()?.n));
  }
}

/** A statement can close its own connection, by a function of the subject's. */
function inTransaction(db: DatabaseSync): boolean {
  return db.isOpen && db.isTransaction;
}
