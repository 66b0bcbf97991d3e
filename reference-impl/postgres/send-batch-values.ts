import type { ClientBase } from 'pg';
import type { Undated } from '../outgoing.ts';
import { idsBySlot } from './ids-by-slot.ts';
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
      const ids: string[] = [];
      for (let from = 0; from < rows.length; from += chunkRows) {
        ids.push(...(await insertChunk(client, rows.slice(from, from + chunkRows))));
      }
      return ids;
    }),
  { chunk: { rows: chunkRows }, onFailure: 'outcomes' },
);

async function insertChunk(client: ClientBase, rows: readonly Undated[]): Promise<string[]> {
  const ids = await insertMessages(client, rows);
  const headers = rows.flatMap((row, slot) => (row.headers === null ? [] : [[ids[slot]!, row.headers]]));
  if (headers.length > 0) await insertHeaders(client, headers);
  return ids;
}

async function insertMessages(client: ClientBase, rows: readonly Undated[]): Promise<string[]> {
  const later = (n: number) => `now() + $${n}::float8 * interval '1 millisecond'`;
  const tuples = rows.map((_, slot) => {
    const [body, destination, priority, route, correlationId, delay, expiration] = parameters(7, slot);
    const plain = [body, destination, priority, route, correlationId].map((n) => `$${n}`).join(', ');
    return `(${slot}, ${plain}, ${later(delay!)}, ${later(expiration!)})`;
  });
  const inserted = await client.query<Record<string, unknown>>({
    ...nameOf('messages', rows.length),
    text: `INSERT INTO messages (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
           VALUES ${tuples.join(', ')} RETURNING id, slot`,
    values: rows.flatMap((row) => [
      row.body,
      row.destination,
      row.priority,
      row.route,
      row.correlationId,
      row.delay,
      row.expiration,
    ]),
  });
  return idsBySlot(inserted.rows, rows.length);
}

async function insertHeaders(client: ClientBase, headers: readonly string[][]): Promise<void> {
  const tuples = headers.map(
    (_, i) =>
      `(${parameters(2, i)
        .map((n) => `$${n}`)
        .join(', ')})`,
  );
  await client.query({
    ...nameOf('headers', headers.length),
    text: `INSERT INTO message_headers (message_id, headers) VALUES ${tuples.join(', ')}`,
    values: headers.flat(),
  });
}

/** A full chunk is always the same statement, worth being parsed once; the others are of too many sizes to keep. */
function nameOf(what: string, rows: number): { name: string } | undefined {
  return rows === chunkRows ? { name: `insert-${what}-${rows}` } : undefined;
}

/** The numbers of the parameters of one row, from 1 on. */
function parameters(each: number, row: number): number[] {
  return Array.from({ length: each }, (_, i) => row * each + i + 1);
}
