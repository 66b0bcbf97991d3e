import type { SendOptions } from '../../index.ts';
import { skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';
import { sendBatchBy } from './sender.ts';

/** Rows that one statement carries, unless the caller asks for another number. */
const chunkRows = 100;
const messageColumns = 10;
/** SQLite takes no more than 32,766 parameters. */
const mostRows = Math.floor(32_766 / messageColumns);

/** Inserts of many rows, `VALUES (…), (…), …`, a chunk at a time. */
export const values = sendBatchBy(insertBatch, { chunk: { rows: chunkRows } }, ['chunkSize']);

function insertBatch(
  connection: Connection,
  rows: readonly Outgoing[],
  { chunkSize = chunkRows }: SendOptions,
): Answer[] {
  const step = Math.min(chunkSize, mostRows);
  const inserted: Answer[] = [];
  for (let from = 0; from < rows.length; from += step) {
    inserted.push(...insertMessages(connection, rows.slice(from, from + step), from));
  }
  const headers = inserted.flatMap(({ id, slot }) => {
    const row = rows[Number(slot)]!;
    return row.headers === null ? [] : [[id, row.headers]];
  });
  for (let from = 0; from < headers.length; from += step) {
    insertHeaders(connection, headers.slice(from, from + step));
  }
  return inserted;
}

function insertMessages(connection: Connection, rows: readonly Outgoing[], from: number): Answer[] {
  const parameters = rows.flatMap((row, i) => [
    from + i,
    row.body,
    row.destination,
    row.priority,
    row.route,
    row.correlationId,
    row.dedupeKey,
    row.createdAt,
    row.dueAt,
    row.expiresAt,
  ]);
  return connection.rows<Answer>(
    `INSERT INTO messages
       (slot, body, destination, priority, route, correlation_id, dedupe_key, created_at, due_at, expires_at)
     VALUES ${tuples(rows.length, messageColumns)} ${skipHeldKeys} RETURNING id, slot`,
    ...parameters,
  );
}

function insertHeaders(connection: Connection, headers: readonly (bigint | string)[][]): void {
  connection.rows(
    `INSERT INTO message_headers (message_id, headers) VALUES ${tuples(headers.length, 2)}`,
    ...headers.flat(),
  );
}

/** `(?, ?), (?, ?)` for two rows of two columns. */
function tuples(rows: number, columns: number): string {
  const tuple = `(${Array(columns).fill('?').join(', ')})`;
  return Array(rows).fill(tuple).join(', ');
}
