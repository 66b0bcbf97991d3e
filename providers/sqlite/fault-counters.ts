import { writeFileSync } from 'node:fs';
import type { Fault, SeenStatement, Sprung } from '../../contracts/kernel/engine.ts';
import { isBusy, isForeignKeyViolation } from './errors.ts';
import type { Connection } from './instrument.ts';

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
  gate(connection: Connection): boolean;
  /** A statement is about to run. */
  began(): void;
  /** A statement has run without an error, and changed so many rows. */
  succeeded(rows: number): void;
  failed(statement: FailedStatement): void;
  /** Throws when it is found that the fault cannot work here. */
  report(): Sprung;
}

abstract class Counter implements FaultCounter {
  protected readonly sprung: Sprung = { count: 0, rowsBefore: 0, raised: 0 };

  gate(_connection: Connection): boolean {
    return false;
  }
  began(): void {}
  succeeded(_rows: number): void {}
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

/** Counts the statements that another session's lock kept from running. */
class LockCounter extends Counter {
  override failed({ error }: FailedStatement): void {
    if (!isBusy(error)) return;
    this.sprung.count += 1;
    this.sprung.raised += 1;
  }
}

/** Kills this process before its n-th statement, and leaves word of it in a file. */
class CrashCounter extends Counter {
  readonly #statement: number;
  readonly #mark: string;
  #statements = 0;
  #rows = 0;

  constructor(statement: number, mark: string) {
    super();
    this.#statement = statement;
    this.#mark = mark;
  }

  override began(): void {
    this.#statements += 1;
    if (this.#statements !== this.#statement) return;
    writeFileSync(this.#mark, JSON.stringify({ count: 1, rowsBefore: this.#rows, raised: 1 } satisfies Sprung));
    process.kill(process.pid, 'SIGKILL');
  }

  override succeeded(rows: number): void {
    this.#rows += rows;
  }
}

/** An armed fault, as it is sent to a host. */
export interface Order {
  nonce: string;
  fault: Fault;
  /** Process in which the judge lives. */
  judge: number;
  /** File in which a crash leaves word. */
  mark: string;
}

export function counterFor(
  { nonce, fault, mark }: Order,
  hasForeignKeys: (connection: Connection) => boolean,
): FaultCounter {
  switch (fault.at) {
    case 'row':
      return new RowCounter(nonce, fault.nth, fault.once ?? false);
    case 'commit':
      return new CommitCounter(hasForeignKeys);
    case 'lock':
      return new LockCounter();
    case 'crash':
      return new CrashCounter('statement' in fault.point ? fault.point.statement : 1, mark);
    default:
      throw new TypeError(`sqlite: a fault at ${fault.at} counts nothing`);
  }
}
