import type { Fault, Point, SeenStatement, Sprung } from '../../contracts/kernel/engine.ts';
import { dieLeaving } from './crash-mark.ts';
import { diskFailed, isBusy, isForeignKeyViolation } from './errors.ts';
import type { Connection } from './instrument.ts';
import { signUp, waitAtStart } from './waiting-list.ts';

/** A statement of the subject's. */
export interface Statement {
  connection: Connection;
  kind: SeenStatement['kind'];
  sql: string;
  /** It ends a transaction by a commit, or is a write that commits itself. */
  commits: boolean;
}

/** A statement that has ended with an error. */
export interface FailedStatement {
  connection: Connection;
  kind: SeenStatement['kind'];
  error: unknown;
  /** Whether a transaction was open when it began. */
  insideTransaction: boolean;
}

/** Decides when an armed fault springs, and counts; in the host's memory, where no rollback reaches. */
export interface FaultCounter {
  /** Asked by the trap's trigger for each row: true springs it. */
  gate(connection: Connection, holds: boolean): boolean;
  /** A statement is about to run; what this throws, the statement does. */
  began(statement: Statement): void;
  /** A statement has run without an error, and changed so many rows. */
  succeeded(statement: Statement, rows: number): void;
  failed(statement: FailedStatement): void;
  /** Throws when it is found that the fault cannot work here. */
  report(): Sprung;
}

abstract class Counter implements FaultCounter {
  protected readonly sprung: Sprung = { count: 0, rowsBefore: 0, raised: 0 };

  gate(_connection: Connection, _holds: boolean): boolean {
    return false;
  }
  began(_statement: Statement): void {}
  succeeded(_statement: Statement, _rows: number): void {}
  failed(_statement: FailedStatement): void {}
  report(): Sprung {
    return { ...this.sprung };
  }
}

/** Springs at the n-th row, and at every later one unless it is to do so once. */
class RowCounter extends Counter {
  readonly #nonce: string;
  readonly #nth: number;
  readonly #once: boolean;
  #rows = 0;

  constructor(nonce: string, nth: number, once: boolean) {
    super();
    this.#nonce = nonce;
    this.#nth = nth;
    this.#once = once;
  }

  override gate(): boolean {
    this.#rows += 1;
    if (this.#rows < this.#nth || (this.#once && this.#rows > this.#nth)) return false;
    if (this.sprung.count === 0) this.sprung.rowsBefore = this.#rows - 1;
    this.sprung.count += 1;
    return true;
  }

  override failed({ error }: FailedStatement): void {
    if (error instanceof Error && error.message.includes(this.#nonce)) this.sprung.raised += 1;
  }
}

/** Springs at every row that holds the text that the trap looks for. */
class PoisonCounter extends Counter {
  readonly #nonce: string;

  constructor(nonce: string) {
    super();
    this.#nonce = nonce;
  }

  override gate(_connection: Connection, holds: boolean): boolean {
    if (holds) this.sprung.count += 1;
    else if (this.sprung.count === 0) this.sprung.rowsBefore += 1;
    return holds;
  }

  override failed({ error }: FailedStatement): void {
    if (error instanceof Error && error.message.includes(this.#nonce)) this.sprung.raised += 1;
  }

  override report(): Sprung {
    return this.sprung.count === 0 ? { ...this.sprung, rowsBefore: 0 } : super.report();
  }
}

/** Springs at the first commit that holds a row; a transaction that is rolled back before leaves it armed. */
class CommitCounter extends Counter {
  readonly #hasForeignKeys: (connection: Connection) => boolean;
  readonly #pending = new Set<Connection>();
  #rows = 0;
  #foreignKeysOff = false;

  constructor(hasForeignKeys: (connection: Connection) => boolean) {
    super();
    this.#hasForeignKeys = hasForeignKeys;
  }

  override gate(connection: Connection): boolean {
    if (this.sprung.count > 0) return false;
    if (!this.#hasForeignKeys(connection)) {
      this.#foreignKeysOff = true;
      return false;
    }
    this.#rows += 1;
    this.#pending.add(connection);
    return true;
  }

  override failed({ connection, kind, error, insideTransaction }: FailedStatement): void {
    if (!this.#pending.has(connection) || !isForeignKeyViolation(error)) return;
    // The subject's own foreign keys fail at their statement; a deferred one fails where the transaction ends.
    if (kind === 'write' && insideTransaction) return;
    if (this.sprung.count === 0) {
      this.sprung.count = 1;
      this.sprung.rowsBefore = this.#rows;
    }
    this.sprung.raised += 1;
  }

  override report(): Sprung {
    if (this.#foreignKeysOff) throw new ForeignKeysOff();
    return super.report();
  }
}

/** The subject has switched foreign keys off, so that no commit of its can be made to fail. */
export class ForeignKeysOff extends Error {
  override name = 'ForeignKeysOff';
  override message = 'the subject switched foreign keys off: SQLite then has no commit that fails';
}

/** Refuses the first rollback of a whole transaction, as a disk that fails would; the transaction stays open. */
class RollbackCounter extends Counter {
  readonly #nonce: string;

  constructor(nonce: string) {
    super();
    this.#nonce = nonce;
  }

  override began({ kind }: Statement): void {
    if (kind !== 'rollback' || this.sprung.count > 0) return;
    this.sprung.count += 1;
    this.sprung.raised += 1;
    throw Object.assign(new Error(`disk I/O error (${this.#nonce})`), {
      code: 'ERR_SQLITE_ERROR',
      errcode: diskFailed,
      errstr: 'disk I/O error',
    });
  }
}

/** Counts the statements that another session's lock kept from running, and tells of those that will wait for it. */
class LockCounter extends Counter {
  readonly #list: string;
  readonly #keepsReaders: boolean;

  constructor(list: string, keepsReaders: boolean) {
    super();
    this.#list = list;
    this.#keepsReaders = keepsReaders;
  }

  override began({ connection, kind, sql }: Statement): void {
    const needsLock = aboutToWrite(kind, sql) || (kind === 'read' && this.#keepsReaders);
    if (needsLock) signUp(this.#list, connection.number);
  }

  override failed({ error }: FailedStatement): void {
    if (!isBusy(error)) return;
    this.sprung.count += 1;
    this.sprung.raised += 1;
  }
}

/** Keeps those waiting that are about to write. */
class StartCounter extends Counter {
  readonly #list: string;

  constructor(list: string) {
    super();
    this.#list = list;
  }

  override began({ connection, kind, sql }: Statement): void {
    if (aboutToWrite(kind, sql) && signUp(this.#list, connection.number)) waitAtStart(this.#list);
  }
}

function aboutToWrite(kind: SeenStatement['kind'], sql: string): boolean {
  return kind === 'write' || (kind === 'begin' && /\b(IMMEDIATE|EXCLUSIVE)\b/i.test(sql));
}

/** Kills this process at the point, once, and leaves word of it in a file. */
class CrashCounter extends Counter {
  readonly #point: Point;
  readonly #mark: string;
  #statements = 0;
  #rows = 0;

  constructor(point: Point, mark: string) {
    super();
    this.#point = point;
    this.#mark = mark;
  }

  override began(statement: Statement): void {
    this.#statements += 1;
    if (this.#isBefore(statement)) this.#die();
  }

  override succeeded({ commits }: Statement, rows: number): void {
    this.#rows += rows;
    // A call of the driver sends, carries out and returns in one: the commit is on its way only once it is done.
    if (commits && 'commit' in this.#point && this.#point.commit !== 'before-sent') this.#die();
  }

  #isBefore({ sql, commits }: Statement): boolean {
    if ('statement' in this.#point) return this.#statements === this.#point.statement;
    if ('matching' in this.#point) return sql.includes(this.#point.matching);
    return commits && this.#point.commit === 'before-sent';
  }

  #die(): void {
    dieLeaving(this.#mark, { count: 1, rowsBefore: this.#rows, raised: 1 });
  }
}

/** A host in the judge's own process lives on. */
class NoCrash extends Counter {}

/** An armed fault, as it is sent to a host. */
export interface Order {
  nonce: string;
  fault: Fault;
  /** Process in which the judge lives. */
  judge: number;
  /** File in which a crash leaves word, or those that wait for a lock; empty for other faults. */
  mark: string;
  /** A lock keeps readers waiting, too: what is in shared memory has no write-ahead log. */
  keepsReaders: boolean;
}

export function counterFor(
  { nonce, fault, mark, judge, keepsReaders }: Order,
  hasForeignKeys: (connection: Connection) => boolean,
): FaultCounter {
  switch (fault.at) {
    case 'row':
      return new RowCounter(nonce, fault.nth, fault.once ?? false);
    case 'poison':
      return new PoisonCounter(nonce);
    case 'commit':
      return new CommitCounter(hasForeignKeys);
    case 'rollback':
      return new RollbackCounter(nonce);
    case 'lock':
      return new LockCounter(mark, keepsReaders);
    case 'start':
      return new StartCounter(mark);
    case 'crash':
      return process.pid === judge ? new NoCrash() : new CrashCounter(fault.point, mark);
    default:
      throw new TypeError(`sqlite: a fault at ${fault.at} counts nothing`);
  }
}
