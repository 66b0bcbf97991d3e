import type {
  Fault,
  Found,
  Sample,
  SampleBy,
  SeenStatement,
  Site,
  Sprung,
  Watched,
} from '../../contracts/kernel/engine.ts';
import { monotonicMs } from '../clock.ts';
import { commitsOf } from '../commits.ts';
import type { Agent } from '../provider.ts';
import type { MemorySite } from '../sites.ts';
import { spreadOverRows } from '../spread.ts';
import {
  type Operation,
  openStore,
  type Row,
  removeStore,
  type Store,
  type StoredRow,
  StoreError,
  type StoreHook,
} from './store.ts';

/** The rows of a store, by table. */
type Content = Record<string, StoredRow[]>;

/** A hook that was ordered by the lease and has something to report. */
interface Duty {
  hook: StoreHook;
  report(): Sprung | Watched;
}

const duties = new Map<Store, Map<string, Duty>>();

const methods: Record<string, (store: Store, ...args: never[]) => unknown> = {
  read: (store, statement: string) => read(store, statement),
  snapshot: (store) => snapshot(store),
  restore: (store, content: Content) => restore(store, content),
  wipe: (store) => {
    for (const table of store.tableNames()) store.dropTable(table);
  },
  createTable: (store, table: string) => store.createTable(table),
  openTransactions: (store) => store.openTransactions,
  arm: (store, nonce: string, fault: Fault) => take(store, nonce, faultDuty(nonce, fault)),
  watch: (store, key: string, sample: SampleBy | null) => take(store, key, watchDuty(store, sample)),
  report: (store, key: string) => duties.get(store)?.get(key)?.report(),
  revoke: (store, key: string) => {
    const duty = duties.get(store)?.get(key);
    if (!duty) return;
    store.hooks.delete(duty.hook);
    duties.get(store)?.delete(key);
  },
  forget: (store) => {
    duties.delete(store);
    removeStore(store.name);
  },
};

/** The part of the memory provider beside the subject: a store can be reached from its own thread only. */
export const agent: Agent = {
  call(site: Site, method: string, args: unknown[]): unknown {
    const run = methods[method];
    if (!run) throw new TypeError(`memory: the agent has no method ${method}`);
    return run(openStore((site as MemorySite).name), ...(args as never[]));
  },
  hand(site: Site) {
    const store = openStore((site as MemorySite).name);
    return {
      snapshot: () => snapshot(store),
      restore: (content) => restore(store, content as Content),
      edit(change) {
        const content = snapshot(store);
        for (const [table, rows] of Object.entries(content))
          content[table] = rows.filter((row) => change(row, table) !== 'remove');
        restore(store, content);
      },
    };
  },
};

/** A statement is the name of a table, or `table by column`: then that column is read as the id. */
function read(store: Store, statement: string): Found {
  const [table, column] = statement.trim().split(' by ') as [string, string?];
  try {
    const rows = store.peek(table);
    return { rows: column === undefined ? rows : rows.map(({ [column]: id, ...row }) => ({ ...row, id })) };
  } catch (cause) {
    if (cause instanceof StoreError) return { missing: cause.message };
    throw cause;
  }
}

function snapshot(store: Store): Content {
  return Object.fromEntries(store.tableNames().map((table) => [table, store.peek(table)]));
}

function restore(store: Store, content: Content): void {
  for (const table of new Set([...store.tableNames(), ...Object.keys(content)])) {
    store.replace(table, content[table] ?? []);
  }
}

function take(store: Store, key: string, duty: Duty): void {
  const all = duties.get(store) ?? new Map<string, Duty>();
  all.set(key, duty);
  duties.set(store, all);
  store.hooks.add(duty.hook);
}

function faultDuty(nonce: string, fault: Fault): Duty {
  if (fault.at === 'row') return rowFaultDuty(nonce, fault);
  if (fault.at === 'poison') return poisonDuty(nonce, fault);
  if (fault.at === 'commit') return commitFaultDuty(nonce, fault.table);
  if (fault.at === 'rollback') return rollbackFaultDuty(nonce);
  throw new TypeError(`memory: no fault at ${fault.at}`);
}

function rowFaultDuty(nonce: string, fault: Extract<Fault, { at: 'row' }>): Duty {
  const trap = new Trap(nonce, { retryable: fault.kind === 'serialization' });
  let rows = 0;
  const count = (table: string): void => {
    if (table !== fault.table) return;
    rows += 1;
    if (rows === fault.nth || (rows > fault.nth && !fault.once)) trap.spring(rows - 1);
  };
  const hook = fault.on === 'update' ? { beforeUpdate: count } : { beforeRow: count };
  return { hook, report: () => ({ ...trap.sprung }) };
}

function poisonDuty(nonce: string, { table, text }: Extract<Fault, { at: 'poison' }>): Duty {
  const trap = new Trap(nonce);
  let rows = 0;
  const beforeRow = (into: string, row: Row): void => {
    if (into !== table) return;
    if (holds(row, text)) trap.spring(rows);
    rows += 1;
  };
  return { hook: { beforeRow }, report: () => ({ ...trap.sprung }) };
}

/** Whether a value of a row holds a text, as text or as its bytes. */
function holds(row: Row, text: string): boolean {
  return Object.values(row).some((value) =>
    value instanceof Uint8Array ? Buffer.from(value).includes(text) : JSON.stringify(value)?.includes(text),
  );
}

function commitFaultDuty(nonce: string, table: string): Duty {
  const trap = new Trap(nonce);
  let rows = 0;
  const beforeRow = (into: string): void => {
    if (into === table) rows += 1;
  };
  const beforeCommit = (tables: ReadonlySet<string>): void => {
    if (tables.has(table) && trap.sprung.count === 0) trap.spring(rows);
  };
  return { hook: { beforeRow, beforeCommit }, report: () => ({ ...trap.sprung }) };
}

function rollbackFaultDuty(nonce: string): Duty {
  const trap = new Trap(nonce);
  const around = <T>({ kind }: Operation, run: () => T): T => {
    if (kind === 'rollback' && trap.sprung.count === 0) trap.spring(0);
    return run();
  };
  return { hook: { around }, report: () => ({ ...trap.sprung }) };
}

class Trap {
  readonly sprung: Sprung = { count: 0, rowsBefore: 0, raised: 0 };
  readonly #nonce: string;
  readonly #class: { retryable: boolean };

  constructor(nonce: string, errorClass = { retryable: false }) {
    this.#nonce = nonce;
    this.#class = errorClass;
  }

  spring(rowsBefore: number): never {
    if (this.sprung.count === 0) this.sprung.rowsBefore = rowsBefore;
    this.sprung.count += 1;
    this.sprung.raised += 1;
    throw new StoreError(`refused by the store: ${this.#nonce}`, this.#class);
  }
}

function watchDuty(store: Store, sample: SampleBy | null): Duty {
  const statements: SeenStatement[] = [];
  const samples: Sample[] = [];
  let rows = spreadOverRows();
  const look = (insideOperation: boolean): void => {
    if (!sample) return;
    const inFlight = insideOperation || store.openTransactions > 0;
    samples.push({ statements: statements.length, inFlight, found: readSample(store, sample) });
  };
  const around = <T>(operation: Operation, run: () => T): T => {
    look(false);
    const startedMs = monotonicMs();
    const seen: SeenStatement = {
      kind: kindOf(operation),
      text: textOf(operation),
      connection: 1,
      startedMs,
      endedMs: startedMs,
    };
    statements.push(seen);
    rows = spreadOverRows();
    try {
      const result = run();
      if (seen.kind === 'write') seen.rows = rowsChanged(result);
      return result;
    } catch (cause) {
      seen.failed = cause instanceof Error ? cause.message : String(cause);
      throw cause;
    } finally {
      seen.endedMs = monotonicMs();
      look(false);
    }
  };
  const beforeRow = (): void => {
    if (rows.take()) look(true);
  };
  return { hook: { around, beforeRow }, report: () => ({ statements, samples, commits: commitsOf(statements) }) };
}

function readSample(store: Store, sample: SampleBy): Found {
  if ('statement' in sample) return read(store, sample.statement);
  const counts: Record<string, number> = {};
  for (const table of sample.tables) {
    const found = read(store, table);
    if ('missing' in found) return found;
    counts[table] = found.rows.length;
  }
  return { rows: [counts] };
}

function kindOf({ kind }: Operation): SeenStatement['kind'] {
  return kind === 'insert' || kind === 'update' || kind === 'delete' ? 'write' : kind;
}

function textOf({ kind, table }: Operation): string {
  return table === undefined ? kind : `${kind} ${table}`;
}

/** Inserts return the ids, updates and deletes whether the row was there. */
function rowsChanged(result: unknown): number {
  return Array.isArray(result) ? result.length : Number(result === true);
}
