/**
 * The tables of a store of schedules; instants are microseconds since 1970.
 *
 * The index is what makes a slot one child's at most, whoever writes it; an insert that meets it names its columns, so
 * that a conflict on anything else stays an error.
 */
export const schema = `
  CREATE TABLE IF NOT EXISTS schedules (
    id TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    cursor INTEGER,
    runs INTEGER,
    error TEXT,
    last_run_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS occurrences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule TEXT NOT NULL,
    slot_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    expires_at INTEGER,
    route TEXT,
    priority INTEGER,
    status TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS occurrences_by_slot ON occurrences (schedule, slot_at);
  CREATE TABLE IF NOT EXISTS audits (
    id INTEGER PRIMARY KEY,
    schedule TEXT NOT NULL,
    event TEXT NOT NULL,
    slot_at INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
`;

/** What the judge reads, by the names that the contract knows, instants in milliseconds; and how it disturbs. */
export const statements = {
  rows: `
    SELECT CAST(id AS TEXT) AS id, schedule, slot_at / 1000.0 AS "slotAt", body, due_at / 1000.0 AS "dueAt",
           expires_at / 1000.0 AS "expiresAt", route, priority, status, attempts, created_at / 1000.0 AS "createdAt"
    FROM occurrences
  `,
  schedules: `
    SELECT id, status, version, cursor / 1000.0 AS cursor, runs, error, last_run_at / 1000.0 AS "lastRunAt"
    FROM schedules
  `,
  audits: 'SELECT schedule, event, slot_at / 1000.0 AS "slotAt", created_at / 1000.0 AS "createdAt" FROM audits',
  cancel: "UPDATE schedules SET status = 'cancelled' WHERE id = ?",
  // SQLite reads ISO text to the millisecond.
  addChild: `
    INSERT INTO occurrences (schedule, slot_at, body, due_at, created_at)
    SELECT schedule, at, 'null', at, at
    FROM (SELECT ? AS schedule, CAST(round(unixepoch(?, 'subsec') * 1000) AS INTEGER) * 1000 AS at)
  `,
};
