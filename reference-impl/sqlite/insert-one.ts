import { skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Connection } from './connection.ts';

const insertMessage = `
  INSERT INTO messages
    (slot, body, destination, priority, route, correlation_id, dedupe_key, created_at, due_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ${skipHeldKeys}
`;
const insertHeaders = 'INSERT INTO message_headers (message_id, headers) VALUES (?, ?)';

/** Inserts one message, inside a transaction, unless its key is held. */
export function insertOne(connection: Connection, row: Outgoing, slot: number): Answer[] {
  const id = connection.insert(
    insertMessage,
    slot,
    row.body,
    row.destination,
    row.priority,
    row.route,
    row.correlationId,
    row.dedupeKey,
    row.createdAt,
    row.dueAt,
    row.expiresAt,
  );
  if (id === undefined) return [];
  if (row.headers !== null) connection.insert(insertHeaders, id, row.headers);
  return [{ id, slot }];
}
