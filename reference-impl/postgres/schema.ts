/**
 * Two sessions that create one table at once would collide in the catalogue, `IF NOT EXISTS` or not: the schema's lock,
 * which ends with the transaction, lets them in one after the other.
 */
export const schemaLock =
  'SELECT pg_advisory_xact_lock(7236828, oid::integer) FROM pg_namespace WHERE nspname = current_schema();';

/**
 * The tables of a message store.
 *
 * Bodies and headers are `json`, which keeps the text as it was sent and still refuses what is no JSON. (`jsonb` would
 * refuse NUL and lone surrogates, forget the order of members and the sign of zero.) `slot` is the position of a message
 * in its batch: RETURNING promises no order, so the ordinal travels with the row and tells which id belongs to which
 * message. Headers have a table of their own, since few messages carry any. A key is there once in the whole store, whatever
 * the destination; the index of the keys leaves out the rows without one, which so do not pay for it.
 */
export const schema = `
  ${schemaLock}
  CREATE TABLE IF NOT EXISTS messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slot integer NOT NULL,
    body json NOT NULL,
    destination text,
    priority bigint,
    route text,
    correlation_id text,
    dedupe_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz,
    expires_at timestamptz,
    attempts integer NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX IF NOT EXISTS messages_by_key ON messages (dedupe_key) WHERE dedupe_key IS NOT NULL;
  CREATE TABLE IF NOT EXISTS message_headers (
    message_id bigint PRIMARY KEY,
    headers json NOT NULL
  );
`;

/** The stored messages, by the names that the contract knows. */
export const storedMessages = `
  SELECT m.id::text AS id, m.body::text AS body, m.destination, m.priority, m.route, m.correlation_id AS "correlationId",
         m.dedupe_key AS "dedupeKey", h.headers::text AS headers, m.created_at AS "createdAt", m.due_at AS "dueAt", m.expires_at AS "expiresAt",
         m.attempts
  FROM messages m LEFT JOIN message_headers h ON h.message_id = m.id
`;
