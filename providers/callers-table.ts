import type { Found } from '../contracts/kernel/engine.ts';

/** The table in which a caller of the subject keeps rows of his own, on every engine. */
export const callersTableName = 'callers_own';

/** The column `text` of the rows that were found there. */
export function textsOf(found: Found): string[] {
  if ('missing' in found) throw new Error(`the caller's own table is not there: ${found.missing}`);
  return found.rows.map(({ text }) => String(text));
}
