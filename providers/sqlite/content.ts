import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Found, LeftLocked, type Snapshot } from '../../contracts/kernel/engine.ts';
import type { Edit } from '../../contracts/kernel/mutant.ts';
import { callersTableName } from '../callers-table.ts';
import { leftOpen } from './errors.ts';
import { ours, quoteName, quoteText, shorten, unquoteName } from './sql.ts';
import { atomically } from './transaction.ts';

/** All rows of one table, as the engine stores them. */
interface TableContent {
  /** Columns that can be written, the hidden row number first where there is one. */
  columns: string[];
  rows: SQLOutputValue[][];
}

/** The content of a database; plain data, so that it can cross to another thread. */
export interface SqliteSnapshot extends Snapshot {
  /** Also of the shadow tables, in which virtual tables keep their content. */
  content: Record<string, TableContent>;
  virtualTables: string[];
}

/** What a database holds that is not there. */
export const nothing: SqliteSnapshot = { tables: {}, content: {}, virtualTables: [] };

/** Runs a query and returns plain rows; integers are numbers where a number holds them exactly, else bigints. */
export function read(db: DatabaseSync, statement: string): Found {
  try {
    return { rows: query(db, statement).map(plain) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (/^no such table/.test(message)) return { missing: message };
    throw new Error(`sqlite: ${message}, in: ${shorten(statement)}`, { cause });
  }
}

/** Writes the whole database to a file. */
export function copyTo(db: DatabaseSync, path: string): void {
  // Without its name, the file system would be the one of a database in memory.
  const fileSystem = process.platform === 'win32' ? 'win32' : 'unix';
  db.exec(`VACUUM INTO ${quoteText(`${pathToFileURL(path).href}?vfs=${fileSystem}`)}`);
}

export function snapshot(db: DatabaseSync): SqliteSnapshot {
  return consistently(db, () => {
    const content: SqliteSnapshot['content'] = {};
    for (const table of [...tablesOf(db), ...shadowTablesOf(db)]) content[table.name] = contentOf(db, table);
    const tables = Object.fromEntries(tablesOf(db).map(({ name }) => [name, content[name]!.rows.length]));
    return { tables, content, virtualTables: virtualTablesOf(db).map(({ name }) => name) };
  });
}

/**
 * Makes the rows of every table what they were, hidden row numbers included; tables made since are emptied.
 * The subject's own triggers do not run, and the sequences of AUTOINCREMENT go on where they are.
 */
export function restore(db: DatabaseSync, { content, virtualTables }: SqliteSnapshot): void {
  changeWithoutForeignKeys(db, () => {
    const triggers = query(db, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND ${notOurs('name')}`);
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoteName(String(name))}`);
    // A virtual table whose shadow tables were merely emptied would be a broken one.
    for (const { name, sql } of virtualTablesOf(db)) {
      if (!virtualTables.includes(name)) db.exec(`DROP TABLE ${quoteName(name)}; ${sql}`);
    }
    const shadows = shadowTablesOf(db).filter(({ name }) => name in content);
    const tables = [...tablesOf(db), ...shadows].map((t) => t.name);
    const lost = Object.keys(content).filter((name) => !tables.includes(name));
    if (lost.length > 0) throw new Error(`sqlite: cannot restore ${lost.join(', ')}: dropped since the snapshot`);
    for (const name of tables) db.exec(`DELETE FROM ${quoteName(name)}`);
    for (const [name, table] of Object.entries(content)) insertAll(db, name, table);
    for (const { sql } of triggers) db.exec(String(sql));
  });
}

/** Shows every row to `change`, which may overwrite its columns or remove it, and writes back what it made of them. */
export function edit(db: DatabaseSync, change: Edit): void {
  const whole = snapshot(db);
  for (const name of Object.keys(whole.tables)) {
    const table = whole.content[name]!;
    table.rows = table.rows.flatMap((values) => {
      const row: Record<string, unknown> = Object.fromEntries(table.columns.map((c, i) => [unquoteName(c), values[i]]));
      return change(row, name) === 'remove' ? [] : [Object.values(row) as SQLOutputValue[]];
    });
  }
  restore(db, whole);
}

/** Makes the caller's own table where it is not there yet. */
export function makeCallersTable(db: DatabaseSync): void {
  db.exec(`CREATE TABLE IF NOT EXISTS ${callersTableName} (text TEXT NOT NULL)`);
}

/** Refreshes the statistics that the query planner uses. */
export function analyse(db: DatabaseSync): void {
  db.exec('ANALYZE');
}

/** Drops every table, view and trigger, ours too. */
export function wipe(db: DatabaseSync): void {
  changeWithoutForeignKeys(db, () => {
    // Virtual tables go before the tables in which they keep their content.
    const objects = query(
      db,
      `SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view', 'trigger')
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type = 'table', sql NOT LIKE 'CREATE VIRTUAL%'`,
    );
    for (const { type, name } of objects) db.exec(`DROP ${String(type)} IF EXISTS ${quoteName(String(name))}`);
  });
}

interface Table {
  name: string;
  withoutRowid: boolean;
}

/** The subject's tables, without virtual ones, which take no triggers, and what these keep their content in. */
export function tablesOf(db: DatabaseSync): Table[] {
  return tablesOfType(db, 'table');
}

function shadowTablesOf(db: DatabaseSync): Table[] {
  return tablesOfType(db, 'shadow');
}

function tablesOfType(db: DatabaseSync, type: 'table' | 'shadow'): Table[] {
  const rows = query(
    db,
    `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = '${type}'
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND ${notOurs('name')} ORDER BY name`,
  );
  return rows.map(({ name, wr }) => ({ name: String(name), withoutRowid: wr === 1n }));
}

function virtualTablesOf(db: DatabaseSync): { name: string; sql: string }[] {
  const rows = query(
    db,
    `SELECT name, sql FROM sqlite_schema
     WHERE name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual')`,
  );
  return rows.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
}

function notOurs(column: string): string {
  return `substr(${column}, 1, ${ours.length}) <> '${ours}'`;
}

function contentOf(db: DatabaseSync, { name, withoutRowid }: Table): TableContent {
  const info = query(db, `SELECT name, hidden FROM pragma_table_xinfo(${quoteText(name)})`);
  const all = info.map((column) => String(column.name).toLowerCase());
  const rowid = withoutRowid ? undefined : ['rowid', '_rowid_', 'oid'].find((alias) => !all.includes(alias));
  const columns = info.filter((column) => column.hidden === 0n).map((column) => String(column.name));
  const named = [...(rowid ? [rowid] : []), ...columns.map(quoteName)];
  const select = named.map((column, i) => `${column} AS c${i}`).join(', ');
  const order = rowid ? ` ORDER BY ${rowid}` : '';
  const rows = query(db, `SELECT ${select} FROM ${quoteName(name)}${order}`).map((row) => Object.values(row));
  return { columns: named, rows };
}

function insertAll(db: DatabaseSync, name: string, { columns, rows }: TableContent): void {
  if (rows.length === 0) return;
  const values = columns.map(() => '?').join(', ');
  const insert = db.prepare(`INSERT INTO ${quoteName(name)} (${columns.join(', ')}) VALUES (${values})`);
  for (const row of rows) insert.run(...(row as SQLInputValue[]));
}

type RawRow = Record<string, SQLOutputValue>;

function query(db: DatabaseSync, sql: string): RawRow[] {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all() as RawRow[];
}

function plain(row: RawRow): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  // Rows come without a prototype, so that these are their own names; reads of large tables spend their time here.
  for (const name in row) copy[name] = narrow(row[name]!);
  return copy;
}

function narrow(value: SQLOutputValue): SQLOutputValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Several reads of one moment. Inside somebody's transaction they are that already. */
function consistently<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work();
  db.exec('BEGIN');
  try {
    return work();
  } finally {
    db.exec('COMMIT');
  }
}

function changeWithoutForeignKeys(db: DatabaseSync, work: () => void): void {
  // Foreign keys cannot be switched off inside a transaction, and what we change must not be rolled back with it.
  if (db.isTransaction) throw new LeftLocked(leftOpen);
  const foreignKeys = query(db, 'PRAGMA foreign_keys')[0]?.foreign_keys;
  db.exec('PRAGMA foreign_keys = OFF');
  try {
    writingShadowTables(db, () => atomically(db, work));
  } finally {
    db.exec(`PRAGMA foreign_keys = ${foreignKeys === 1n ? 'ON' : 'OFF'}`);
  }
}

/** In defensive mode, which is Node's default, a connection does not write shadow tables. */
function writingShadowTables(db: DatabaseSync, work: () => void): void {
  const [shadow] = shadowTablesOf(db);
  if (!shadow || canWrite(db, shadow)) {
    work();
    return;
  }
  db.enableDefensive(false);
  try {
    work();
  } finally {
    db.enableDefensive(true);
  }
}

function canWrite(db: DatabaseSync, { name }: Table): boolean {
  try {
    db.prepare(`DELETE FROM ${quoteName(name)}`);
    return true;
  } catch (cause) {
    if (/may not be modified/.test((cause as Error).message)) return false;
    throw cause;
  }
}
