import type { ClientBase, QueryArrayResult } from 'pg';
import type { Found, Snapshot } from '../../contracts/kernel/engine.ts';
import type { Edit } from '../../contracts/kernel/mutant.ts';
import { callersTableName } from '../callers-table.ts';
import { only, type Table, tablesOf } from './catalog.ts';
import { isMissing, messageOf } from './errors.ts';
import { quoteName, shorten } from './sql.ts';
import { integer, textTypes } from './values.ts';

/** All rows of one table; every value as the text from which the engine makes the same value again. */
interface TableContent {
  columns: string[];
  rows: (string | null)[][];
}

export interface PostgresSnapshot extends Snapshot {
  content: Record<string, TableContent>;
}

/** Runs a query and returns plain rows. */
export async function read(client: ClientBase, statement: string): Promise<Found> {
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return { rows };
  } catch (cause) {
    if (isMissing(cause)) return { missing: messageOf(cause) };
    // Others may have to look at the code, as at that of a lock.
    if (cause instanceof Error) cause.message = `postgres: ${cause.message}, in: ${shorten(statement)}`;
    throw cause;
  }
}

/** All tables as they were at one moment. */
export async function snapshot(client: ClientBase, schema: string): Promise<PostgresSnapshot> {
  const tables = await tablesOf(client, schema);
  const content: PostgresSnapshot['content'] = {};
  if (tables.length > 0) {
    const results = await consistently(client, tables.map(selectAll));
    tables.forEach(({ name, columns }, i) => {
      content[name] = { columns: columns.map((c) => c.name), rows: results[i]!.rows as (string | null)[][] };
    });
  }
  const counts = Object.fromEntries(Object.entries(content).map(([name, { rows }]) => [name, rows.length]));
  return { tables: counts, content };
}

/**
 * Makes the rows of every table what they were; tables made since are emptied.
 * The subject's own triggers do not run, and sequences go on where they are.
 */
export async function restore(client: ClientBase, schema: string, { content }: PostgresSnapshot): Promise<void> {
  const tables = await tablesOf(client, schema);
  const lost = Object.keys(content).filter((name) => !tables.some((table) => table.name === name));
  if (lost.length > 0) throw new Error(`postgres: cannot restore ${lost.join(', ')}: dropped since the snapshot`);
  if (tables.length === 0) return;
  const triggers = tables.flatMap(({ name, triggers }) => triggers.map((trigger) => ({ table: name, ...trigger })));
  const alter = (how: (trigger: { enable: string }) => string): string[] =>
    triggers.map((t) => `ALTER TABLE ${quoteName(t.table)} ${how(t)} TRIGGER ${quoteName(t.name)}`);

  const filled = tables.filter(({ name }) => content[name] && content[name].rows.length > 0);
  const empty = ['BEGIN', ...alter(() => 'DISABLE'), deleteAll(tables)];
  const end = [...alter(({ enable }) => enable), 'COMMIT'];
  if (filled.length === 0) {
    await client.query([...empty, ...end].join('; '));
    return;
  }
  await client.query(empty.join('; '));
  await insertAll(client, filled, content);
  await client.query(end.join('; '));
}

/** Shows every row to `change`, which may overwrite its columns, and writes back what it made of them. */
export async function edit(client: ClientBase, schema: string, change: Edit): Promise<void> {
  const types = new Map((await tablesOf(client, schema)).map(({ name, columns }) => [name, columns]));
  const whole = await snapshot(client, schema);
  for (const [name, table] of Object.entries(whole.content)) {
    const isInteger = types.get(name)!.map(({ type }) => /^(small|big)?int/.test(type));
    table.rows = table.rows.flatMap((values) => {
      const shown = values.map((text, i) => (text !== null && isInteger[i] ? integer(text) : text));
      const row: Record<string, unknown> = Object.fromEntries(table.columns.map((column, i) => [column, shown[i]]));
      if (change(row, name) === 'remove') return [];
      return [Object.values(row).map((value) => (value === null || value === undefined ? null : String(value)))];
    });
  }
  await restore(client, schema, whole);
}

/** Makes the caller's own table where it is not there yet, for the subject's role; returns its quoted name. */
export async function callersTable(client: ClientBase, schema: string, user: string): Promise<string> {
  const table = `${quoteName(schema)}.${quoteName(callersTableName)}`;
  await client.query(`CREATE TABLE IF NOT EXISTS ${table} (text text NOT NULL);
                      GRANT SELECT, INSERT ON ${table} TO ${quoteName(user)}`);
  return table;
}

/** Refreshes the statistics that the planner uses. */
export async function analyse(client: ClientBase, schema: string): Promise<void> {
  const tables = await tablesOf(client, schema);
  if (tables.length > 0) await client.query(`ANALYZE ${tables.map(({ name }) => quoteName(name)).join(', ')}`);
}

function selectAll(table: Table): string {
  const columns = table.columns.map(({ name }) => `${quoteName(name)}::text`);
  return `SELECT ${columns.join(', ')} FROM ${only(table)}`;
}

/** One statement, at whose end all foreign keys hold again, whichever table refers to which. */
function deleteAll(tables: readonly Table[]): string {
  const [last, ...others] = tables.map((table) => `DELETE FROM ${only(table)}`);
  const steps = others.map((statement, i) => `d${i} AS (${statement})`);
  return steps.length > 0 ? `WITH ${steps.join(', ')} ${last}` : last!;
}

async function insertAll(
  client: ClientBase,
  tables: readonly Table[],
  content: PostgresSnapshot['content'],
): Promise<void> {
  const values: (string | null)[][] = [];
  const inserts = tables.map((table) => {
    const { columns, rows } = content[table.name]!;
    const names = columns.map(quoteName).join(', ');
    const parameters = columns.map((_, i) => `$${values.length + i + 1}::text[]`);
    const cast = columns.map((name, i) => `c${i}::${table.columns.find((c) => c.name === name)!.type}`);
    values.push(...columns.map((_, i) => rows.map((row) => row[i]!)));
    return `INSERT INTO ${quoteName(table.name)} (${names}) OVERRIDING SYSTEM VALUE
            SELECT ${cast.join(', ')} FROM unnest(${parameters.join(', ')}) WITH ORDINALITY
            AS rows (${[...columns.map((_, i) => `c${i}`), 'ordinal'].join(', ')}) ORDER BY ordinal`;
  });
  const last = inserts.pop();
  const steps = inserts.map((statement, i) => `i${i} AS (${statement})`);
  await client.query(steps.length > 0 ? `WITH ${steps.join(', ')} ${last}` : last!, values);
}

/** Several queries that see the same moment, in one round trip. */
async function consistently(client: ClientBase, queries: string[]): Promise<QueryArrayResult[]> {
  const text = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...queries, 'COMMIT'].join('; ');
  const results = await client.query({ text, rowMode: 'array', types: textTypes });
  return (results as unknown as QueryArrayResult[]).slice(1, -1);
}
