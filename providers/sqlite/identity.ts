import type { DatabaseSync } from 'node:sqlite';
import { quoteText } from './sql.ts';

/** Makes the next row of an AUTOINCREMENT table get the id `start`; whether the table is one. */
export function setNextId(db: DatabaseSync, table: string, start: bigint): boolean {
  const declared = db
    .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ${quoteText(table)}`)
    .get();
  if (!/\bAUTOINCREMENT\b/i.test(String(declared?.sql))) return false;
  // The table has a row there only once it has given out an id.
  const last = start - 1n;
  const { changes } = db.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(last, table);
  if (changes === 0) db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, last);
  return true;
}
