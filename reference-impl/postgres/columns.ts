import { inKeyOrder } from '../dedupe-keys.ts';
import type { Undated } from '../outgoing.ts';

/** A batch turned on its side: an array for each column, the slots first, to be unnested by the server. */
export function columns(rows: readonly Undated[]): unknown[][] {
  const entries = inKeyOrder(rows);
  const column = (read: (row: Undated) => unknown) => entries.map(([, row]) => read(row));
  return [
    entries.map(([slot]) => slot),
    column((row) => row.body),
    column((row) => row.destination),
    column((row) => row.priority),
    column((row) => row.route),
    column((row) => row.correlationId),
    column((row) => row.dedupeKey),
    column((row) => row.delay),
    column((row) => row.expiration),
    column((row) => row.headers),
  ];
}
