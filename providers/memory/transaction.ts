import { type Operation, type Row, type Store, type StoredRow, StoreError } from './store.ts';

/** Changes that become visible together, or not at all. After an error it stays open until it is rolled back. */
export class Transaction {
  readonly #store: Store;
  /** By table: rows that were added or changed, and null for those that were deleted. */
  #changes = new Map<string, Map<number, Row | null>>();
  #insertedInto = new Set<string>();
  #open = true;
  readonly #ended = Promise.withResolvers<void>();
  #waitsFor: Transaction | undefined;

  constructor(store: Store) {
    this.#store = store;
    store.openTransactions += 1;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  belongsTo(store: Store): boolean {
    return this.#store === store;
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
        const copy = copyOf(row);
        for (const hook of this.#store.hooks) hook.beforeRow?.(table, row);
        inserted.set(this.#store.nextId(), copy);
      }
      for (const [id, row] of inserted) this.#changesOf(table).set(id, row);
      this.#insertedInto.add(table);
      return [...inserted.keys()];
    });
  }

  /**
   * Takes a name until this transaction ends, when no other one holds it by then: waits until that has ended. Rejects
   * with the reason of the signal when that fires first, and with an error that is retryable when both wait for each other.
   */
  async lock(name: string, signal?: AbortSignal): Promise<void> {
    for (let holder = this.#take(name); holder; holder = this.#take(name)) {
      for (let next: Transaction | undefined = holder; next; next = next.#waitsFor) {
        if (next === this) throw new StoreError(`deadlock: ${name} is held by who waits here`, { retryable: true });
      }
      this.#waitsFor = holder;
      try {
        await untilAborted(holder.#ended.promise, signal);
      } finally {
        this.#waitsFor = undefined;
      }
    }
  }

  /** Takes a name until this transaction ends; returns false, at once, when another one holds it. */
  tryLock(name: string): boolean {
    return this.#take(name) === undefined;
  }

  /** Runs `work`; when that throws, what it changed is undone, and the transaction goes on with what it had before. */
  part<T>(work: () => T): T {
    const changes = new Map([...this.#changes].map(([table, rows]) => [table, new Map(rows)]));
    const insertedInto = new Set(this.#insertedInto);
    try {
      return work();
    } catch (error) {
      this.#changes = changes;
      this.#insertedInto = insertedInto;
      throw error;
    }
  }

  /** Overwrites the given fields of a row; returns whether the row is there. */
  update(table: string, id: number, fields: Row): boolean {
    return this.#perform({ kind: 'update', table }, () => {
      const row = this.#find(table, id);
      if (!row) return false;
      for (const hook of this.#store.hooks) hook.beforeUpdate?.(table);
      this.#changesOf(table).set(id, { ...row, ...copyOf(fields) });
      return true;
    });
  }

  /** Deletes a row; returns whether it was there. */
  delete(table: string, id: number): boolean {
    return this.#perform({ kind: 'delete', table }, () => {
      const there = this.#find(table, id) !== undefined;
      if (there) this.#changesOf(table).set(id, null);
      return there;
    });
  }

  /** The committed rows with this transaction's own changes, in the order of their ids; all, or those that `test` picks. */
  rows(table: string, test: (row: Readonly<Row>) => boolean = () => true): StoredRow[] {
    return this.#perform({ kind: 'read', table }, () => {
      const picked = [...this.#view(table)].filter(([, row]) => test(row));
      return readable(new Map(picked));
    });
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
    this.#store.locks.releaseAllOf(this);
    this.#ended.resolve();
  }

  #take(name: string): Transaction | undefined {
    if (!this.#open) throw new StoreError('lock: the transaction has ended');
    return this.#store.locks.take(name, this);
  }

  #perform<T>(operation: Operation, run: () => T): T {
    if (!this.#open) throw new StoreError(`${operation.kind}: the transaction has ended`);
    return this.#store.perform(operation, run);
  }

  #find(table: string, id: number): Row | undefined {
    const changed = this.#changes.get(table)?.get(id);
    return changed === undefined ? this.#store.committed(table).get(id) : (changed ?? undefined);
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

/** The rows as copies, in the order of their ids. */
export function readable(rows: ReadonlyMap<number, Row>): StoredRow[] {
  return [...rows].sort(([a], [b]) => a - b).map(([id, row]) => ({ ...copyOf(row), id }));
}

/** A copy that shares nothing with the row; most rows hold nothing that could be shared, and are copied fast. */
function copyOf(row: Readonly<Row>): Row {
  const copy = { ...row };
  return Object.values(copy).every(isPrimitive) ? copy : structuredClone(copy);
}

function isPrimitive(value: unknown): boolean {
  return value === null || !['object', 'function', 'symbol'].includes(typeof value);
}

/** Waits for a promise that never rejects; rejects when the signal fires first. */
function untilAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  signal.throwIfAborted();
  const { promise: first, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  promise.then(resolve);
  return first.finally(() => signal.removeEventListener('abort', abort));
}
