import type { ClientBase } from 'pg';
import { ours, quoteName, quoteText } from './sql.ts';

/** A table of a namespace, as far as its content is to be read and written. */
export interface Table {
  name: string;
  /** Columns that can be written; generated ones follow from the others. */
  columns: { name: string; type: string }[];
  /** Triggers of the subject's that fire in ordinary sessions, with the word that switches each on again. */
  triggers: { name: string; enable: string }[];
  partitioned: boolean;
}

/** The subject's tables in a schema; partitions are seen through the table that they belong to. */
export async function tablesOf(client: ClientBase, schema: string): Promise<Table[]> {
  const { rows } = await client.query<{ tables: string }>(
    `SELECT coalesce(json_agg(json_build_object(
       'name', c.relname,
       'partitioned', c.relkind = 'p',
       'columns', (
         SELECT coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                                  ORDER BY a.attnum), '[]')
         FROM pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
       'triggers', (
         SELECT coalesce(json_agg(json_build_object('name', t.tgname, 'enable',
                                  CASE t.tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END)), '[]')
         FROM pg_trigger t
         WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
           AND NOT starts_with(t.tgname, '${ours}'))
     ) ORDER BY c.relname), '[]')::text AS tables
     FROM pg_class c
     WHERE c.relnamespace = to_regnamespace(${quoteText(quoteName(schema))})
       AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT starts_with(c.relname, '${ours}')`,
  );
  return JSON.parse(rows[0]!.tables) as Table[];
}

/** The table in a statement that reads or empties it: without the tables that inherit from it, which are named too. */
export function only({ name, partitioned }: Table): string {
  return partitioned ? quoteName(name) : `ONLY ${quoteName(name)}`;
}

/** Functions that are not the system's own and may write. */
export async function writingFunctions(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT proname AS name FROM pg_proc
     WHERE provolatile = 'v' AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
  );
  return rows.map(({ name }) => name);
}

/** Tables whose owner, too, sees only the rows that a policy lets through. */
export async function tablesWithForcedPolicies(client: ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = to_regnamespace($1) AND relrowsecurity AND relforcerowsecurity ORDER BY 1`,
    [quoteName(schema)],
  );
  return rows.map(({ name }) => name);
}
