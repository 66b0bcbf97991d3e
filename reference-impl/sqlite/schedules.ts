import type { Schedule, Standing } from '../../index.ts';
import { type Call, checkedCursor } from '../window.ts';
import type { Connection } from './connection.ts';
import { isoText, jsonRows, microseconds } from './instants.ts';

/** What a call has to know of its schedule. */
export interface StoredSchedule {
  status: Schedule['status'];
  version: bigint;
  cursor: bigint | null;
  runs: number | null;
}

export function findSchedule(connection: Connection, id: string): StoredSchedule | undefined {
  const select = 'SELECT status, version, cursor, runs FROM schedules WHERE id = ?';
  const [row] = connection.rows<Omit<StoredSchedule, 'runs'> & StoredRuns>(select, id);
  return row && withRuns(row);
}

interface StoredRuns {
  runs: bigint | null;
}

function withRuns<R extends StoredRuns>(row: R): Omit<R, 'runs'> & { runs: number | null } {
  return { ...row, runs: row.runs === null ? null : Number(row.runs) };
}

export function putSchedule(connection: Connection, { id, status, version, cursor, runs, error }: Schedule): void {
  connection.rows(
    'INSERT OR REPLACE INTO schedules (id, status, version, cursor, runs, error) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    status,
    version,
    storedCursor(cursor),
    runs,
    error,
  );
}

/** What changes with the cursor: without a next one the schedule is completed. */
const moveCursor = `
  UPDATE schedules
  SET cursor = ?1,
      status = iif(?1 IS NULL, 'completed', status),
      error = iif(?1 IS NULL, NULL, error),
      last_run_at = iif(?1 IS NULL, ?2, last_run_at)`;

/** Moves the cursor and sets the run count. */
export function moveSchedule(
  connection: Connection,
  { schedule, now }: Call<bigint>,
  next: bigint | null,
  runs: number | null,
): void {
  connection.rows(`${moveCursor}, runs = ?4 WHERE id = ?3`, next, now, schedule, runs);
}

/** Moves the cursor of a schedule that is as the call expects it, and returns its run count; undefined where it is not. */
export function moveAsExpected(
  connection: Connection,
  { schedule, version, cursor, now }: Call<bigint>,
  next: bigint | null,
): Pick<StoredSchedule, 'runs'> | undefined {
  const where = "WHERE id = ?3 AND version = ?4 AND cursor = ?5 AND status = 'active' RETURNING runs";
  const [row] = connection.rows<StoredRuns>(`${moveCursor} ${where}`, next, now, schedule, version, cursor);
  return row && withRuns(row);
}

export function setRuns(connection: Connection, schedule: string, runs: number | null): void {
  connection.rows('UPDATE schedules SET runs = ? WHERE id = ?', runs, schedule);
}

/** Leaves in the audit what the call's level asks for, by one statement. */
export function audit(
  connection: Connection,
  { schedule, now, audited }: Call<bigint>,
  created: readonly bigint[],
  next: bigint | null,
): void {
  const events: [event: string, slotAt: bigint | null][] = audited.created ? created.map((at) => ['created', at]) : [];
  if (audited.completed && next === null) events.push(['completed', null]);
  if (events.length > 0) connection.rows(insertAudits, schedule, now, jsonRows(events));
}

const insertAudits = `
  INSERT INTO audits (schedule, created_at, event, slot_at)
  SELECT ?, ?, value ->> 0, value ->> 1
  FROM json_each(?)
`;

/** How a schedule stands, as it is told to callers. */
export function standingOf(connection: Connection, id: string): Standing {
  const { cursor, runs } = findSchedule(connection, id) ?? { cursor: null, runs: null };
  return { cursor: cursor === null ? null : isoText(cursor), runs };
}

export function storedCursor(cursor: string | null): bigint | null {
  const checked = checkedCursor(cursor);
  return checked === null ? null : microseconds(checked);
}
