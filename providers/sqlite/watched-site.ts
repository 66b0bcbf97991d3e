import type { DatabaseSync } from 'node:sqlite';
import type { SeenStatement } from '../../contracts/kernel/engine.ts';
import { monotonicMs } from '../clock.ts';
import type { FaultCounter } from './fault-counters.ts';
import type { Connection, Ending } from './instrument.ts';
import { kindOf, ours, type Savepoint, savepointOf, shorten } from './sql.ts';
import type { Recording } from './watching.ts';

/** What one host knows of one database: the subject's connections, the armed faults and the recordings. */
export class WatchedSite {
  readonly connections = new Set<Connection>();
  readonly faults = new Map<string, FaultCounter>();
  readonly recordings = new Map<string, Recording>();
  /** Connections that the subject has opened so far. */
  opened = 0;
  /** Names of the savepoints that began the transactions that are open. */
  readonly #outermost = new WeakMap<Connection, string>();
  /** Connections that the subject has told to trust no schema. */
  readonly #distrusting = new WeakSet<Connection>();
  #ownWork = 0;

  /** The connection that was opened last. */
  get connection(): Connection | undefined {
    return [...this.connections].at(-1);
  }

  get openTransactions(): number {
    return [...this.connections].filter(({ db }) => inTransaction(db)).length;
  }

  /**
   * Our triggers call functions of ours, which a connection that trusts no schema refuses: while anything of ours is
   * armed, it does trust. To be called whenever something has been armed or ended.
   */
  keepTrust(): void {
    const armed = this.faults.size > 0 || this.recordings.size > 0;
    for (const connection of this.connections) {
      if (armed && !trusts(connection.db)) {
        this.#distrusting.add(connection);
        connection.db.exec('PRAGMA trusted_schema = ON');
      } else if (!armed && this.#distrusting.has(connection) && !seesTriggersOfOurs(connection.db)) {
        this.#distrusting.delete(connection);
        connection.db.exec('PRAGMA trusted_schema = OFF');
      }
    }
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

  gate(connection: Connection, nonce: string, holds: boolean): boolean {
    if (this.#ownWork > 0) return false;
    return this.faults.get(nonce)?.gate(connection, holds) ?? false;
  }

  /** A row has been changed by the statement that runs. */
  look(): void {
    if (this.#ownWork > 0) return;
    this.#record((recording) => recording.row());
  }

  began(connection: Connection, sql: string, bound?: number): (ending: Ending) => void {
    if (this.#ownWork > 0 || (this.faults.size === 0 && this.recordings.size === 0)) return () => {};
    const insideTransaction = inTransaction(connection.db);
    const statement: SeenStatement = {
      kind: kindOf(sql),
      text: shorten(sql),
      connection: connection.number,
      startedMs: 0,
      endedMs: 0,
      ...(bound !== undefined && { bound }),
    };
    const savepoint = statement.kind === 'other' ? savepointOf(sql) : undefined;
    if (savepoint) statement.kind = this.#kindOf(savepoint, connection, insideTransaction);
    const open = this.openTransactions > 0;
    this.#record((recording) => recording.begin(statement, open));
    statement.startedMs = monotonicMs();
    statement.endedMs = statement.startedMs;
    const begun = { connection, kind: statement.kind, sql, commits: commits(statement, insideTransaction) };
    try {
      for (const fault of this.faults.values()) fault.began(begun);
    } catch (error) {
      this.#ended(connection, sql, statement, insideTransaction, { error });
      throw error;
    }
    return (ending) => {
      statement.endedMs = monotonicMs();
      // Of two savepoints of one name the inner one is released first, and that commits nothing.
      const released = savepoint?.verb === 'release' && insideTransaction && !('error' in ending);
      if (released) statement.kind = inTransaction(connection.db) ? 'other' : 'commit';
      this.#ended(connection, sql, statement, insideTransaction, ending);
    };
  }

  /** A savepoint outside a transaction begins one, and its release commits that. */
  #kindOf({ verb, name }: Savepoint, connection: Connection, insideTransaction: boolean): SeenStatement['kind'] {
    if (verb === 'release') return insideTransaction && name === this.#outermost.get(connection) ? 'commit' : 'other';
    if (insideTransaction) return 'other';
    this.#outermost.set(connection, name);
    return 'begin';
  }

  #ended(
    connection: Connection,
    sql: string,
    statement: SeenStatement,
    insideTransaction: boolean,
    ending: Ending,
  ): void {
    if ('error' in ending) {
      statement.failed = ending.error instanceof Error ? ending.error.message : String(ending.error);
      const failure = { connection, kind: statement.kind, error: ending.error, insideTransaction };
      for (const fault of this.faults.values()) fault.failed(failure);
    } else {
      if (statement.kind === 'write') statement.rows = ending.rows ?? this.#changes(connection.db);
      const seen = { connection, kind: statement.kind, sql, commits: commits(statement, insideTransaction) };
      for (const fault of this.faults.values()) fault.succeeded(seen, statement.rows ?? 0);
    }
    if (/trusted_schema/i.test(statement.text)) this.quietly(() => this.keepTrust());
    const open = this.openTransactions > 0;
    this.#record((recording) => recording.look(open));
  }

  #record(work: (recording: Recording) => void): void {
    for (const recording of this.recordings.values()) this.quietly(() => work(recording));
  }

  #changes(db: DatabaseSync): number {
    return this.quietly(() => Number(db.prepare('SELECT changes() AS n').get()?.n));
  }
}

/** Whether a statement ends a transaction by a commit, or is a write that commits itself. */
function commits({ kind }: SeenStatement, insideTransaction: boolean): boolean {
  return kind === 'commit' || (kind === 'write' && !insideTransaction);
}

function trusts(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA trusted_schema').get()?.trusted_schema === 1;
}

/** Also makes the connection read the schema anew, if it has changed: by the one it remembers it would refuse to write. */
function seesTriggersOfOurs(db: DatabaseSync): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '${ours}*'`).get() !== undefined;
}

/** A statement can close its own connection, by a function of the subject's. */
function inTransaction(db: DatabaseSync): boolean {
  return db.isOpen && db.isTransaction;
}
