import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';

const insertMessage = `
  INSERT INTO messages (slot, body, destination, priority, route, correlation_id, created_at, due_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
`;
const insertHeaders = 'INSERT INTO message_headers (message_id, headers) VALUES (?, ?)';

/** Inserts one message, inside a transaction, and returns its id. */
export function insertOne(connection: Connection, row: Outgoing, slot: number): bigint {
  const id = connection.insert(
    insertMessage,
    slot,
    row.body,
    row.destination,
    row.priority,
    row.route,
    row.correlationId,
    row.createdAt,
    row.dueAt,
    row.expiresAt,
  );
  if (row.headers !== null) connection.insert(insertHeaders, id, row.headers);
  return id;
}
