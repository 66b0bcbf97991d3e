import type { Entry } from '../../index.ts';
import { schemaLock } from './schema.ts';

/**
 * The tables of a scheduler.
 *
 * Instants are microseconds. `position` is that of the slot in its window, and null for a child that came by another
 * way: RETURNING promises no order, so the ordinal travels with the row and tells which id belongs to which slot. Bodies
 * are `json`, which keeps the text as it was sent.
 */
export const windowSchema = `
  ${schemaLock}
  CREATE TABLE IF NOT EXISTS schedules (
    id text PRIMARY KEY,
    status text NOT NULL,
    version bigint NOT NULL,
    cursor timestamptz,
    runs integer,
    error text,
    last_run_at timestamptz
  );
  CREATE TABLE IF NOT EXISTS occurrences (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule text NOT NULL,
    slot_at timestamptz NOT NULL,
    position integer,
    body json NOT NULL,
    due_at timestamptz NOT NULL,
    expires_at timestamptz,
    route text,
    priority bigint,
    status text NOT NULL DEFAULT 'waiting',
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (schedule, slot_at)
  );
  CREATE TABLE IF NOT EXISTS audits (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule text NOT NULL,
    event text NOT NULL,
    slot_at timestamptz,
    created_at timestamptz NOT NULL
  );
`;

/** SQL: an instant as ISO 8601 text, to the microsecond. */
export function isoSql(instant: string): string {
  return `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** What is stored, by the names that the contract knows, and what other sessions do to it. */
export const windowStatements = {
  rows: `
    SELECT id::text AS id, schedule, ${isoSql('slot_at')} AS "slotAt", body::text AS body, ${isoSql('due_at')} AS "dueAt",
           ${isoSql('expires_at')} AS "expiresAt", route, priority, status, attempts, ${isoSql('created_at')} AS "createdAt"
    FROM occurrences
  `,
  schedules: `
    SELECT id, status, version, ${isoSql('cursor')} AS cursor, runs, error, ${isoSql('last_run_at')} AS "lastRunAt"
    FROM schedules
  `,
  audits: `
    SELECT schedule, event, ${isoSql('slot_at')} AS "slotAt", ${isoSql('created_at')} AS "createdAt" FROM audits
  `,
  cancel: `UPDATE schedules SET status = 'cancelled' WHERE id = $1`,
  addChild: `
    INSERT INTO occurrences (schedule, slot_at, body, due_at) VALUES ($1, $2::timestamptz, 'null', $2::timestamptz)
  `,
} satisfies Partial<Entry<'materialize-window'>>;
