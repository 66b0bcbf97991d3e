import { idsBySlot } from '../ids-by-slot.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';
import { sendBatchBy } from './sender.ts';

/** One statement for the whole batch, which travels as one JSON text. */
export const jsonEach = sendBatchBy(insertBatch, { chunk: 'none' });

const insertMessages = `
  INSERT INTO messages (slot, body, destination, priority, route, correlation_id, created_at, due_at, expires_at)
  SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
  FROM json_each(?)
  RETURNING id, slot
`;
const insertHeaders = `
  INSERT INTO message_headers (message_id, headers)
  SELECT CAST(value ->> 0 AS INTEGER), value ->> 1
  FROM json_each(?)
`;

function insertBatch(connection: Connection, rows: readonly Outgoing[]): bigint[] {
  const batch = rows.map((row) => [
    row.body,
    row.destination,
    row.priority,
    row.route,
    row.correlationId,
    row.createdAt,
    row.dueAt,
    row.expiresAt,
  ]);
  const ids = idsBySlot<bigint>(connection.rows(insertMessages, JSON.stringify(batch)), rows.length);
  // Ids travel as text, since a JSON number loses digits above 2^53.
  const headers = rows.flatMap((row, slot) => (row.headers === null ? [] : [[String(ids[slot]), row.headers]]));
  if (headers.length > 0) connection.rows(insertHeaders, JSON.stringify(headers));
  return ids;
}
