/**
 * The model: a small transactional table store in the process, for subjects that need no engine.
 *
 * A transaction sees the committed rows and its own changes; others see its changes when it has committed. There are no
 * locks: of two transactions that change one row, the later commit wins.
 */

/** The content of a row; the store keeps a copy, made by `structuredClone`. */
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
  /** Called with the tables that the transaction inserted into, before anything becomes visible. */
  beforeCommit?(tables: ReadonlySet<string>): void;
}

/** A store error: a table or a row that is not there, a transaction that has ended. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** Named tables with committed rows. */
export class Store {
  readonly name: string;
  /** Everybody who looks on; called in the order they came. */
  readonly hooks = new Set<StoreHook>();
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

/** Changes that become visible together, or not at all. After an error it stays open until it is rolled back. */
export class Transaction {
  readonly #store: Store;
  /** By table: rows that were added or changed, and null for those that were deleted. */
  readonly #changes = new Map<string, Map<number, Row | null>>();
  readonly #insertedInto = new Set<string>();
  #open = true;

  constructor(store: Store) {
    this.#store = store;
    store.openTransactions += 1;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Runs a statement, the only one there is: `insert <table> <row as JSON>`. Returns the row's id. */
  run(statement: string): number {
    const [, table, row] = /^insert (\w+) (\{.*\})$/s.exec(statement) ?? [];
    if (!table || !row) throw new StoreError(`no statement: ${statement}`);
    return this.insert(table, JSON.parse(row) as Row);
  }

  /** Inserts a row and returns its id: an integer above every id given out before. */
  insert(table: string, row: Row): number {
    return this.insertMany(table, [row])[0]!;
  }

  /** Inserts rows by one operation, all or none, and returns their ids in the same order. */
  insertMany(table: string, rows: readonly Row[]): number[] {
    return this.#perform({ kind: 'insert', table }, () => {
      this.#store.committed(table);
      const inserted = new Map<number, Row>();
      for (const row of rows) {
        const copy = structuredClone(row);
        for (const hook of this.#store.hooks) hook.beforeRow?.(table, row);
        inserted.set(this.#store.nextId(), copy);
      }
      for (const [id, row] of inserted) this.#changesOf(table).set(id, row);
      this.#insertedInto.add(table);
      return [...inserted.keys()];
    });
  }

  /** Overwrites the given fields of a row; returns whether the row is there. */
  update(table: string, id: number, fields: Row): boolean {
    return this.#perform({ kind: 'update', table }, () => {
      const row = this.#view(table).get(id);
      if (row) this.#changesOf(table).set(id, { ...row, ...structuredClone(fields) });
      return row !== undefined;
    });
  }

  /** Deletes a row; returns whether it was there. */
  delete(table: string, id: number): boolean {
    return this.#perform({ kind: 'delete', table }, () => {
      const there = this.#view(table).has(id);
      if (there) this.#changesOf(table).set(id, null);
      return there;
    });
  }

  /** The committed rows with this transaction's own changes. */
  rows(table: string): StoredRow[] {
    return this.#perform({ kind: 'read', table }, () => readable(this.#view(table)));
  }

  /** Makes the changes visible. When a commit is refused, nothing is visible and the transaction is still open. */
  commit(): void {
    this.#perform({ kind: 'commit' }, () => {
      for (const hook of this.#store.hooks) hook.beforeCommit?.(this.#insertedInto);
      const views = [...this.#changes.keys()].map((table) => [this.#store.committed(table), table] as const);
      for (const [rows, table] of views) applyChanges(rows, this.#changesOf(table));
      this.#end();
    });
  }

  /** Drops the changes. The ids that they took are not given out again. */
  rollback(): void {
    this.#perform({ kind: 'rollback' }, () => this.#end());
  }

  #end(): void {
    this.#open = false;
    this.#store.openTransactions -= 1;
  }

  #perform<T>(operation: Operation, run: () => T): T {
    if (!this.#open) throw new StoreError(`${operation.kind}: the transaction has ended`);
    return this.#store.perform(operation, run);
  }

  #view(table: string): Map<number, Row> {
    const rows = new Map(this.#store.committed(table));
    applyChanges(rows, this.#changesOf(table));
    return rows;
  }

  #changesOf(table: string): Map<number, Row | null> {
    let changes = this.#changes.get(table);
    if (!changes) {
      changes = new Map();
      this.#changes.set(table, changes);
    }
    return changes;
  }
}

function applyChanges(rows: Map<number, Row>, changes: ReadonlyMap<number, Row | null>): void {
  for (const [id, row] of changes) {
    if (row === null) rows.delete(id);
    else rows.set(id, row);
  }
}

function readable(rows: ReadonlyMap<number, Row>): StoredRow[] {
  return [...rows].sort(([a], [b]) => a - b).map(([id, row]) => ({ ...structuredClone(row), id }));
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
