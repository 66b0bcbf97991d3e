import type { QueryConfig } from 'pg';
import type { Undated } from '../outgoing.ts';

/**
 * The statement that inserts one message with its headers, and returns its id as `id`.
 *
 * Every session parses it once and then knows it by its name.
 */
export function insertOne(row: Undated, slot: number): QueryConfig {
  return {
    name: 'insert-one',
    text: `
      WITH message AS (
        INSERT INTO messages (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6,
                now() + $7::float8 * interval '1 millisecond', now() + $8::float8 * interval '1 millisecond')
        RETURNING id
      ), headers AS (
        INSERT INTO message_headers (message_id, headers) SELECT id, $9 FROM message WHERE $9::json IS NOT NULL
      )
      SELECT id FROM message`,
    values: [
      slot,
      row.body,
      row.destination,
      row.priority,
      row.route,
      row.correlationId,
      row.delay,
      row.expiration,
      row.headers,
    ],
  };
}
