import { skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';
import { sendBatchBy } from './sender.ts';

/** One statement for the whole batch, which travels as one JSON text. */
export const jsonEach = sendBatchBy(insertBatch, { chunk: 'none' });

// `WHERE true` tells SQLite's parser that ON begins no join.
const insertMessages = `
  INSERT INTO messages
    (slot, body, destination, priority, route, correlation_id, dedupe_key, created_at, due_at, expires_at)
  SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
         value ->> 8
  FROM json_each(?)
  WHERE true
  ORDER BY key
  ${skipHeldKeys}
  RETURNING id, slot
`;
const insertHeaders = `
  INSERT INTO message_headers (message_id, headers)
  SELECT CAST(value ->> 0 AS INTEGER), value ->> 1
  FROM json_each(?)
`;

function insertBatch(connection: Connection, rows: readonly Outgoing[]): Answer[] {
  const batch = rows.map((row) => [
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
  const inserted = connection.rows<Answer>(insertMessages, JSON.stringify(batch));
  const headers = inserted.flatMap(({ id, slot }) => {
    const row = rows[Number(slot)]!;
    // Ids travel as text, since a JSON number loses digits above 2^53.
    return row.headers === null ? [] : [[String(id), row.headers]];
  });
  if (headers.length > 0) connection.rows(insertHeaders, JSON.stringify(headers));
  return inserted;
}
