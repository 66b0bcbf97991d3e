import { Locks } from './locks.ts';
import { readable, Transaction } from './transaction.ts';

export { Transaction } from './transaction.ts';

/**
 * The model: a small transactional table store in the process, for subjects that need no engine.
 *
 * A transaction sees the committed rows and its own changes; others see its changes when it has committed. Rows are not
 * locked: of two transactions that change one row, the later commit wins. Who must not lose takes a lock by name.
 */

/** The content of a row; the store keeps a copy, as `structuredClone` makes one. */
export type Row = Record<string, unknown>;
/** A row as it is read: its content, and the id that the store gave it. */
export type StoredRow = Row & { id: number };

/** What a subject does to a store. */
export interface Operation {
  kind: 'begin' | 'insert' | 'update' | 'delete' | 'read' | 'commit' | 'rollback';
  table?: string;
}

/** Looks on, and may interfere, from outside a subject. What a member throws, the operation throws. */
export interface StoreHook {
  /** Called instead of an operation, which happens when `run` is called; returns its result. */
  around?<T>(operation: Operation, run: () => T): T;
  /** Called for each row before it is inserted. */
  beforeRow?(table: string, row: Row): void;
  /** Called for each row before it is changed. */
  beforeUpdate?(table: string): void;
  /** Called with the tables that the transaction inserted into, before anything becomes visible. */
  beforeCommit?(tables: ReadonlySet<string>): void;
}

/** A store error: a table or a row that is not there, a transaction that has ended, a lock that cannot be had. */
export class StoreError extends Error {
  override name = 'StoreError';
  /** Whether the same work may succeed when it is done again. */
  readonly retryable: boolean;

  constructor(message: string, options: { retryable?: boolean } = {}) {
    super(message);
    this.retryable = options.retryable ?? false;
  }
}

/** Named tables with committed rows. */
export class Store {
  readonly name: string;
  /** Everybody who looks on; called in the order they came. */
  readonly hooks = new Set<StoreHook>();
  /** For transactions: the names that they have locked. */
  readonly locks = new Locks();
  readonly #tables = new Map<string, Map<number, Row>>();
  /** Transactions that have begun and not ended. */
  openTransactions = 0;
  #lastId = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Creates a table; one that is already there stays as it is. */
  createTable(table: string): void {
    if (!this.#tables.has(table)) this.#tables.set(table, new Map());
  }

  dropTable(table: string): void {
    this.#tables.delete(table);
  }

  tableNames(): string[] {
    return [...this.#tables.keys()];
  }

  /** The committed rows in the order of their ids. Throws a `StoreError` when the table is not there. */
  rows(table: string): StoredRow[] {
    return this.perform({ kind: 'read', table }, () => this.peek(table));
  }

  begin(): Transaction {
    return this.perform({ kind: 'begin' }, () => new Transaction(this));
  }

  /** Like `rows`, unseen by the hooks. */
  peek(table: string): StoredRow[] {
    return readable(this.committed(table));
  }

  /** Replaces a table's rows, unseen by the hooks; ids are kept, and none is given out twice. */
  replace(table: string, rows: readonly StoredRow[]): void {
    this.#tables.set(table, new Map(structuredClone(rows).map(({ id, ...row }) => [id, row])));
  }

  /** For transactions: an id that was never given out before, whatever became of it. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** For transactions: the live table. */
  committed(table: string): Map<number, Row> {
    const rows = this.#tables.get(table);
    if (!rows) throw new StoreError(`no such table: ${table}`);
    return rows;
  }

  /** For transactions: an operation, with the hooks around it. */
  perform<T>(operation: Operation, run: () => T): T {
    let wrapped = run;
    for (const hook of this.hooks) {
      const { around } = hook;
      if (!around) continue;
      const inner = wrapped;
      wrapped = () => around.call(hook, operation, inner) as T;
    }
    return wrapped();
  }
}

/** Two copies of this module in one process (one compiled, one not) share their stores. */
const registryKey = Symbol.for('contract-test.memory.stores');

function registry(): Map<string, Store> {
  const holder = globalThis as { [registryKey]?: Map<string, Store> };
  holder[registryKey] ??= new Map();
  return holder[registryKey];
}

/** The store of that name in this thread; made when it is asked for the first time. */
export function openStore(name: string): Store {
  const stores = registry();
  let store = stores.get(name);
  if (!store) {
    store = new Store(name);
    stores.set(name, store);
  }
  return store;
}

/** Forgets the store of that name with all it holds. */
export function removeStore(name: string): void {
  registry().delete(name);
}
