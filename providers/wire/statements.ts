import { monotonicMs } from '../clock.ts';
import { mayWrite, readTag } from './sql.ts';
import type { Running, Statement } from './statement.ts';

/** Is told of every statement that begins. */
export interface Listener {
  /** Whether to read what only a listener needs: texts of simple queries, and parameters. */
  readonly listening: boolean;
  /** Functions that may write, in upper case. */
  readonly functions: ReadonlySet<string>;
  began(statement: Running): void;
}

/** Why a statement failed; no code where the server did not say so itself. */
export interface Problem {
  sqlstate: string;
  message: string;
}

/** The statements of one connection, as they begin and end, and the transactions that they make up. */
export class Statements {
  /** Inside a transaction that was begun by a statement. */
  inTransaction = false;
  readonly #connection: number;
  readonly #listener: Listener;
  /** The open transaction, 0 if none is. */
  #transaction = 0;
  #transactions = 0;
  /** The statement that ended last in the open transaction. */
  #last: Running | undefined;

  constructor(connection: number, listener: Listener) {
    this.#connection = connection;
    this.#listener = listener;
  }

  get listening(): boolean {
    return this.#listener.listening;
  }

  /** The number of the transaction that a running statement belongs to. */
  get transaction(): number {
    return this.#transaction || this.#transactions + 1;
  }

  begin({ sql, text, kind, marks }: Statement, parameters?: string[]): Running {
    const startedMs = monotonicMs();
    const seen: Running['seen'] = {
      kind,
      text,
      connection: this.#connection,
      transaction: 0,
      startedMs,
      endedMs: startedMs,
      ...(parameters && { parameters }),
    };
    const { listening, functions } = this.#listener;
    const running = { seen, marks, ended: false, writes: listening && mayWrite(sql, functions) };
    this.#listener.began(running);
    return running;
  }

  succeed(statement: Running, tag: string): void {
    Object.assign(statement.seen, readTag(tag, statement.seen.kind));
    this.#end(statement);
    const { kind } = statement.seen;
    if (kind === 'begin') this.inTransaction = true;
    if (kind === 'commit' || kind === 'rollback') this.boundary(true);
  }

  fail(statement: Running, { sqlstate, message }: Problem): void {
    statement.seen.failed = message;
    delete statement.seen.rows;
    if (sqlstate !== '') statement.seen.sqlstate = sqlstate;
    if (!statement.ended) this.#end(statement);
  }

  /** What had succeeded has failed after all. Returns whether there was such a statement. */
  failLast(problem: Problem): boolean {
    if (this.#last) this.fail(this.#last, problem);
    return this.#last !== undefined;
  }

  /** The server is ready for the next query, outside or inside a transaction; or a transaction has ended. */
  boundary(idle: boolean): void {
    this.inTransaction = !idle;
    this.#last = undefined;
    if (idle) this.#transaction = 0;
  }

  #end(statement: Running): void {
    statement.ended = true;
    statement.seen.endedMs = monotonicMs();
    this.#transaction ||= ++this.#transactions;
    statement.seen.transaction = this.#transaction;
    this.#last = statement;
  }
}
