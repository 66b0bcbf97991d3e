/**
 * The tables of a message store.
 *
 * Ids never come back (AUTOINCREMENT). `slot` is the position of a message in its batch: RETURNING promises no order, so
 * the ordinal travels with the row and tells which id belongs to which message. Headers have a table of their own, since
 * few messages carry any. A key is there once in the whole store, whatever the destination; the index of the keys leaves out
 * the rows without one, which so do not pay for it.
 */
export const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slot INTEGER NOT NULL,
    body TEXT NOT NULL,
    destination TEXT,
    priority INTEGER,
    route TEXT,
    correlation_id TEXT,
    dedupe_key TEXT,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    expires_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS messages_by_key ON messages (dedupe_key) WHERE dedupe_key IS NOT NULL;
  CREATE TABLE IF NOT EXISTS message_headers (
    message_id INTEGER PRIMARY KEY,
    headers TEXT NOT NULL
  ) STRICT;
`;

/** The stored messages, by the names that the contract knows. */
export const storedMessages = `
  SELECT CAST(m.id AS TEXT) AS id, m.body, m.destination, m.priority, m.route, m.correlation_id AS "correlationId",
         m.dedupe_key AS "dedupeKey", h.headers, m.created_at AS "createdAt", m.due_at AS "dueAt", m.expires_at AS "expiresAt", m.attempts
  FROM messages m LEFT JOIN message_headers h ON h.message_id = m.id
`;
