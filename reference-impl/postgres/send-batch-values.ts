import type { ClientBase } from 'pg';
import { idsBySlot } from '../ids-by-slot.ts';
import type { Undated } from '../outgoing.ts';
import { sendBatchBy } from './sender.ts';

/** Rows that one statement carries: 8 parameters each, far below the 65,535 that the protocol's 16 bits can count. */
const chunkRows = 500;

/**
 * Inserts of many rows, `VALUES (…), (…), …`, a chunk at a time in one transaction.
 *
 * For query builders and mappers that can write no other batch, and for servers that speak the protocol but know no
 * `unnest`. It relies on a transaction that holds all chunks, and on the slot that comes back with each id.
 */
export const values = sendBatchBy(
  (database, rows) =>
    database.transaction(async (client) => {
      const returned: Record<string, unknown>[] = [];
      for (let from = 0; from < rows.length; from += chunkRows) {
        returned.push(...(await insertMessages(client, rows.slice(from, from + chunkRows), from)));
      }
      const ids = idsBySlot<string>(returned, rows.length);
      const headers = rows.flatMap((row, slot) => (row.headers === null ? [] : [[ids[slot]!, row.headers]]));
      for (let from = 0; from < headers.length; from += chunkRows) {
        await insertHeaders(client, headers.slice(from, from + chunkRows));
      }
      return ids;
    }),
  { chunk: { rows: chunkRows }, onFailure: 'outcomes' },
);

async function insertMessages(
  client: ClientBase,
  rows: readonly Undated[],
  from: number,
): Promise<Record<string, unknown>[]> {
  const inserted = await client.query<Record<string, unknown>>({
    ...nameOf('messages', rows.length),
    text: `INSERT INTO messages (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
           VALUES ${tuples(rows.length, ['', '', '', '', '', '', later, later])} RETURNING id, slot`,
    values: rows.flatMap((row, i) => [
      from + i,
      row.body,
      row.destination,
      row.priority,
      row.route,
      row.correlationId,
      row.delay,
      row.expiration,
    ]),
  });
  return inserted.rows;
}

async function insertHeaders(client: ClientBase, headers: readonly string[][]): Promise<void> {
  await client.query({
    ...nameOf('headers', headers.length),
    text: `INSERT INTO message_headers (message_id, headers) VALUES ${tuples(headers.length, ['', ''])}`,
    values: headers.flat(),
  });
}

/** A full chunk is always the same statement, worth being parsed once; the others are of too many sizes to keep. */
function nameOf(what: string, rows: number): { name: string } | undefined {
  return rows === chunkRows ? { name: `insert-${what}-${rows}` } : undefined;
}

/** What makes an instant of a parameter in milliseconds. */
const later = "::float8 * interval '1 millisecond' + now()";

/** `($1, $2), ($3, $4)` for two rows of two columns, each parameter with what is to be done to it. */
function tuples(rows: number, columns: readonly string[]): string {
  let parameter = 0;
  const tuple = () => `(${columns.map((calculation) => `$${++parameter}${calculation}`).join(', ')})`;
  return Array.from({ length: rows }, tuple).join(', ');
}
