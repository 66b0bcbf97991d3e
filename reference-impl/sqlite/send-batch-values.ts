import { idsBySlot } from '../ids-by-slot.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';
import { sendBatchBy } from './sender.ts';

/** Rows that one statement carries: 9 parameters each, far below SQLite's 32,766. */
const chunkRows = 100;

/** Inserts of many rows, `VALUES (…), (…), …`, a chunk at a time. */
export const values = sendBatchBy(insertBatch, { chunk: { rows: chunkRows } });

function insertBatch(connection: Connection, rows: readonly Outgoing[]): bigint[] {
  const returned: Record<string, unknown>[] = [];
  for (let from = 0; from < rows.length; from += chunkRows) {
    returned.push(...insertMessages(connection, rows.slice(from, from + chunkRows), from));
  }
  const ids = idsBySlot<bigint>(returned, rows.length);
  const headers = rows.flatMap((row, slot) => (row.headers === null ? [] : [[ids[slot]!, row.headers] as const]));
  for (let from = 0; from < headers.length; from += chunkRows) {
    insertHeaders(connection, headers.slice(from, from + chunkRows));
  }
  return ids;
}

function insertMessages(connection: Connection, rows: readonly Outgoing[], from: number): Record<string, unknown>[] {
  const parameters = rows.flatMap((row, i) => [
    from + i,
    row.body,
    row.destination,
    row.priority,
    row.route,
    row.correlationId,
    row.createdAt,
    row.dueAt,
    row.expiresAt,
  ]);
  return connection.rows(
    `INSERT INTO messages (slot, body, destination, priority, route, correlation_id, created_at, due_at, expires_at)
     VALUES ${tuples(rows.length, 9)} RETURNING id, slot`,
    ...parameters,
  );
}

function insertHeaders(connection: Connection, headers: readonly (readonly [bigint, string])[]): void {
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
