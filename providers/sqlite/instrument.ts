import { createRequire, syncBuiltinESMExports } from 'node:module';
import type * as Sqlite from 'node:sqlite';
import { uninstrumented } from './database.ts';
import { databaseKey } from './database-key.ts';
import { splitStatements } from './sql.ts';

type Database = Sqlite.DatabaseSync;
type Statement = Sqlite.StatementSync;

/** A connection that the subject opened. */
export interface Connection {
  readonly db: Database;
  /** Identifies its database, see `databaseKey`. */
  readonly key: string;
  /** Counted from 1 for each database. */
  readonly number: number;
}

/** How a statement ended. */
export type Ending = { rows?: number } | { error: unknown };

/** Is told what the subject does with the driver. */
export interface DriverListener {
  opened(connection: Connection): void;
  closed(connection: Connection): void;
  /** A statement is about to run, with so many parameters; the returned function is called when it has ended. */
  began(connection: Connection, sql: string, bound?: number): (ending: Ending) => void;
}

/**
 * Puts a class that reports to `listener` in the place of node:sqlite's, for every module that loads it from now on.
 * Arguments and results pass through untouched.
 */
export function instrument(listener: DriverListener): void {
  const sqlite = createRequire(import.meta.url)('node:sqlite') as {
    -readonly [K in keyof typeof Sqlite]: (typeof Sqlite)[K];
  };
  const Driver = sqlite.DatabaseSync;
  const connections = new WeakMap<Database, Connection>();
  const opened = new Map<string, number>();
  const owners = new WeakMap<Statement, Connection>();

  class DatabaseSync extends Driver {
    static readonly [uninstrumented] = Driver;
    readonly #key: string;

    constructor(...args: ConstructorParameters<typeof Driver>) {
      super(...args);
      this.#key = databaseKey(args[0] as string);
      if (args[1]?.open !== false) this.#opened();
    }

    override open(): void {
      super.open();
      this.#opened();
    }

    override close(): void {
      super.close();
      this.#closed();
    }

    override [Symbol.dispose](): void {
      super[Symbol.dispose]();
      this.#closed();
    }

    override prepare(...args: Parameters<Database['prepare']>): Statement {
      const connection = connections.get(this);
      if (!connection) return super.prepare(...args);
      let statement: Statement;
      try {
        statement = super.prepare(...args);
      } catch (error) {
        // A statement that cannot be prepared, because of a lock for example, never runs; it has failed here.
        listener.began(connection, String(args[0]))({ error });
        throw error;
      }
      owners.set(statement, connection);
      return statement;
    }

    override exec(...args: Parameters<Database['exec']>): void {
      const connection = connections.get(this);
      const statements = connection ? splitStatements(String(args[0])) : [];
      if (!connection || statements.length === 0) {
        super.exec(...args);
        return;
      }
      for (const sql of statements) observe(connection, sql, () => super.exec(sql));
    }

    override createTagStore(...args: Parameters<Database['createTagStore']>): Sqlite.SQLTagStore {
      const store = super.createTagStore(...args);
      const connection = connections.get(this);
      return connection ? observedTagStore(connection, store) : store;
    }

    #opened(): void {
      const number = (opened.get(this.#key) ?? 0) + 1;
      opened.set(this.#key, number);
      const connection = { db: this, key: this.#key, number };
      connections.set(this, connection);
      listener.opened(connection);
    }

    #closed(): void {
      const connection = connections.get(this);
      connections.delete(this);
      if (connection) listener.closed(connection);
    }
  }

  function observe<T>(
    connection: Connection,
    sql: string,
    run: () => T,
    rowsOf?: (result: T) => number,
    bound?: number,
  ): T {
    const ended = listener.began(connection, sql, bound);
    let result: T;
    try {
      result = run();
    } catch (error) {
      ended({ error });
      throw error;
    }
    ended(rowsOf ? { rows: rowsOf(result) } : {});
    return result;
  }

  /** An iterator runs its statement when it is first asked for a row. */
  function observeIterator<T>(connection: Connection, sql: string, iterator: NodeJS.Iterator<T>): NodeJS.Iterator<T> {
    let ended: ((ending: Ending) => void) | undefined;
    const finish = (ending: Ending): void => {
      ended?.(ending);
      ended = () => {};
    };
    const watched = <R extends IteratorResult<T>>(step: () => R): R => {
      ended ??= listener.began(connection, sql);
      try {
        const result = step();
        if (result.done) finish({});
        return result;
      } catch (error) {
        finish({ error });
        throw error;
      }
    };
    const { next, return: end } = iterator;
    iterator.next = () => watched(() => next.call(iterator));
    if (end) {
      iterator.return = (...args) => (ended ? watched(() => end.apply(iterator, args)) : end.apply(iterator, args));
    }
    return iterator;
  }

  function observedTagStore(connection: Connection, store: Sqlite.SQLTagStore): Sqlite.SQLTagStore {
    const { run, get, all, iterate } = store;
    const textOf = (args: [TemplateStringsArray, ...unknown[]]): string => args[0].join('?');
    store.run = (...args) => observe(connection, textOf(args), () => run.apply(store, args), changes);
    store.get = (...args) => observe(connection, textOf(args), () => get.apply(store, args));
    store.all = (...args) => observe(connection, textOf(args), () => all.apply(store, args));
    store.iterate = (...args) =>
      observeIterator(connection, textOf(args), iterate.apply(store, args) as never) as never;
    return store;
  }

  const changes = (result: Sqlite.StatementResultingChanges): number => Number(result.changes);
  const prototype = sqlite.StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const { run, get, all, iterate } = prototype as Record<
    'run' | 'get' | 'all' | 'iterate',
    (...a: unknown[]) => unknown
  >;
  const replace = (
    name: string,
    original: (...args: unknown[]) => unknown,
    observed: (connection: Connection, sql: string, run: () => unknown, bound: number) => unknown,
  ): void => {
    prototype[name] = function (this: Statement, ...args: unknown[]): unknown {
      const connection = owners.get(this);
      const call = (): unknown => original.apply(this, args);
      return connection ? observed(connection, this.sourceSQL, call, boundBy(args)) : call();
    };
  };
  replace('run', run, (connection, sql, call, bound) =>
    observe(connection, sql, call, changes as (result: unknown) => number, bound),
  );
  replace('get', get, (connection, sql, call, bound) => observe(connection, sql, call, undefined, bound));
  replace('all', all, (connection, sql, call, bound) => observe(connection, sql, call, undefined, bound));
  replace('iterate', iterate, (connection, sql, call) => observeIterator(connection, sql, call() as never));

  sqlite.DatabaseSync = DatabaseSync;
  syncBuiltinESMExports();
}

/** How many parameters a call binds: those of an object, by their names, and each of the rest. */
function boundBy(args: readonly unknown[]): number {
  const [first] = args;
  const named =
    typeof first === 'object' && first !== null && !ArrayBuffer.isView(first) ? Object.keys(first).length : 1;
  return args.length === 0 ? 0 : args.length - 1 + named;
}
