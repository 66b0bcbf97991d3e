import type { ClientBase } from 'pg';
import { hasKey, inKeyOrder, skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import type { Undated } from '../outgoing.ts';
import { sendBatchBy } from './sender.ts';

/** Rows that one statement carries, unless the caller asks for another number. */
const chunkRows = 500;

/** What makes an instant of a parameter in milliseconds. */
const later = "::float8 * interval '1 millisecond' + now()";
const messageColumns = ['', '', '', '', '', '', '', later, later];
const headersColumns = ['', ''];

/** The protocol counts the parameters of a statement in 16 bits. */
const mostRows = Math.floor(65_535 / messageColumns.length);

/**
 * Inserts of many rows, `VALUES (…), (…), …`, a chunk at a time in one transaction.
 *
 * For query builders and mappers that can write no other batch, and for servers that speak the protocol but know no
 * `unnest`. It relies on a transaction that holds all chunks, and on the slot that comes back with each id.
 */
export const values = sendBatchBy(
  {
    async insert(client, rows, { chunkSize = chunkRows }) {
      const step = Math.min(chunkSize, mostRows);
      const entries = inKeyOrder(rows);
      const inserted: Answer[] = [];
      for (let from = 0; from < entries.length; from += step) {
        inserted.push(...(await insertMessages(client, entries.slice(from, from + step))));
      }
      const headers = inserted.flatMap(({ id, slot }) => {
        const row = rows[Number(slot)]!;
        return row.headers === null ? [] : [[id, row.headers]];
      });
      for (let from = 0; from < headers.length; from += step) {
        await insertHeaders(client, headers.slice(from, from + step));
      }
      return inserted;
    },
  },
  { chunk: { rows: chunkRows }, onFailure: 'outcomes' },
  { offers: ['chunkSize'] },
);

async function insertMessages(client: ClientBase, entries: readonly [number, Undated][]): Promise<Answer[]> {
  // Being ready for a conflict costs every row a tenth of its time.
  const onConflict = entries.some(([, row]) => hasKey(row)) ? skipHeldKeys : '';
  const inserted = await client.query<Answer>({
    ...nameOf(onConflict === '' ? 'messages' : 'keyed-messages', entries.length),
    text: `INSERT INTO messages
             (slot, body, destination, priority, route, correlation_id, dedupe_key, due_at, expires_at)
           VALUES ${tuples(entries.length, messageColumns)} ${onConflict} RETURNING id, slot`,
    values: entries.flatMap(([slot, row]) => [
      slot,
      row.body,
      row.destination,
      row.priority,
      row.route,
      row.correlationId,
      row.dedupeKey,
      row.delay,
      row.expiration,
    ]),
  });
  return inserted.rows;
}

async function insertHeaders(client: ClientBase, headers: readonly unknown[][]): Promise<void> {
  await client.query({
    ...nameOf('headers', headers.length),
    text: `INSERT INTO message_headers (message_id, headers) VALUES ${tuples(headers.length, headersColumns)}`,
    values: headers.flat(),
  });
}

/** A full chunk is always the same statement, worth being parsed once; the others are of too many sizes to keep. */
function nameOf(what: string, rows: number): { name: string } | undefined {
  return rows === chunkRows ? { name: `insert-${what}-${rows}` } : undefined;
}

/** `($1, $2), ($3, $4)` for two rows of two columns, each parameter with what is to be done to it. */
function tuples(rows: number, columns: readonly string[]): string {
  let parameter = 0;
  const tuple = () => `(${columns.map((calculation) => `$${++parameter}${calculation}`).join(', ')})`;
  return Array.from({ length: rows }, tuple).join(', ');
}
