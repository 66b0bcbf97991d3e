import type { ClientBase } from 'pg';
import { skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import type { Undated } from '../outgoing.ts';

/** Inserts one message with its headers by one statement, unless its key is held. */
export async function insertOne(client: ClientBase, row: Undated, slot: number): Promise<Answer[]> {
  const inserted = await client.query<Answer>({
    // Every session parses the statement once and then knows it by its name.
    name: 'insert-one',
    text: insertMessage,
    values: [
      slot,
      row.body,
      row.destination,
      row.priority,
      row.route,
      row.correlationId,
      row.dedupeKey,
      row.delay,
      row.expiration,
      row.headers,
    ],
  });
  return inserted.rows;
}

const insertMessage = `
  WITH message AS (
    INSERT INTO messages (slot, body, destination, priority, route, correlation_id, dedupe_key, due_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7,
            now() + $8::float8 * interval '1 millisecond', now() + $9::float8 * interval '1 millisecond')
    ${skipHeldKeys}
    RETURNING id, slot
  ), headers AS (
    INSERT INTO message_headers (message_id, headers) SELECT id, $10 FROM message WHERE $10::json IS NOT NULL
  )
  SELECT id, slot FROM message
`;
