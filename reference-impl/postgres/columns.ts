import type { Undated } from '../outgoing.ts';

/** A batch turned on its side: an array for each column, to be unnested by the server. */
export function columns(rows: readonly Undated[]): unknown[][] {
  return [
    rows.map((row) => row.body),
    rows.map((row) => row.destination),
    rows.map((row) => row.priority),
    rows.map((row) => row.route),
    rows.map((row) => row.correlationId),
    rows.map((row) => row.delay),
    rows.map((row) => row.expiration),
    rows.map((row) => row.headers),
  ];
}
