import { createRequire } from 'node:module';
import type * as Sqlite from 'node:sqlite';
import { ours } from './sql.ts';

/**
 * The module by `require`: once a thread has imported node:sqlite as an ES module, what it exports there can no longer
 * be changed, and an agent that comes later would see nothing.
 */
const sqlite = createRequire(import.meta.url)('node:sqlite') as typeof Sqlite;

/** Under this key the instrumented class keeps the driver's own. */
export const uninstrumented = Symbol.for('contract-test.sqlite.uninstrumented');

/** The driver's own class, also where an agent has put an instrumented one in its place. */
export function driverClass(): typeof Sqlite.DatabaseSync {
  const current = sqlite.DatabaseSync as typeof Sqlite.DatabaseSync & { [uninstrumented]?: typeof Sqlite.DatabaseSync };
  return current[uninstrumented] ?? current;
}

/** Asked by traps for each row: 1 springs the trap of that nonce. */
export const gateFunction = `${ours}gate`;
/** Called by the triggers that let a reader look while a statement runs. */
export const lookFunction = `${ours}look`;

/** What the functions that our triggers call do on one connection. */
export interface TriggerFunctions {
  /** `holds`: whether the row holds what the trap looks for. */
  gate(nonce: string, holds: boolean): boolean;
  look(): void;
}

const idle: TriggerFunctions = { gate: () => false, look: () => {} };

export function defineFunctions(db: Sqlite.DatabaseSync, functions: TriggerFunctions = idle): void {
  const options = { varargs: true, deterministic: false };
  db.function(gateFunction, options, (nonce, holds) => Number(functions.gate(String(nonce), Number(holds) === 1)));
  db.function(lookFunction, options, () => {
    functions.look();
    return 0;
  });
}

/** A connection of the provider's own: no trap springs on it and nothing records it. `wait` is in milliseconds. */
export function openOwn(path: string, wait: number): Sqlite.DatabaseSync {
  const Database = driverClass();
  const db = new Database(path, { timeout: wait });
  defineFunctions(db);
  // What we write need not survive the machine, only the process. (In shared memory this would meet the locks.)
  if (!path.startsWith('file:')) runOrClose(db, 'PRAGMA synchronous = OFF');
  return db;
}

function runOrClose(db: Sqlite.DatabaseSync, sql: string): void {
  try {
    db.exec(sql);
  } catch (cause) {
    db.close();
    throw cause;
  }
}
