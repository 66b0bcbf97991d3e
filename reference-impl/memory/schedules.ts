import type { Schedule, Standing } from '../../index.ts';
import type { Transaction } from '../../memory.ts';
import { type Call, checkedCursor } from '../window.ts';

/** The tables of a store of schedules. */
export const tables = { schedules: 'schedules', children: 'occurrences', audits: 'audits' } as const;

/** What the probe reads: the schedules by their own ids, and not by the numbers that the store gave their rows. */
export const statements = {
  rows: tables.children,
  schedules: `${tables.schedules} by schedule`,
  audits: tables.audits,
};

/** A schedule in the store, instants as epoch milliseconds; `id` is the number that the store gave the row. */
export interface StoredSchedule {
  id: number;
  schedule: string;
  status: Schedule['status'];
  version: number;
  cursor: number | null;
  runs: number | null;
  error: string | null;
  lastRunAt: number | null;
}

export function findSchedule(transaction: Transaction, schedule: string): StoredSchedule | undefined {
  const [row] = transaction.rows(tables.schedules, (stored) => stored.schedule === schedule);
  return row as StoredSchedule | undefined;
}

export function putSchedule(transaction: Transaction, { id: schedule, cursor, ...others }: Schedule): void {
  const row = { ...others, schedule, cursor: epoch(checkedCursor(cursor)), lastRunAt: null };
  const there = findSchedule(transaction, schedule);
  if (there) transaction.update(tables.schedules, there.id, row);
  else transaction.insert(tables.schedules, row);
}

/** Moves the cursor and sets the run count; without a next cursor the schedule is completed. */
export function moveSchedule(
  transaction: Transaction,
  { id, schedule }: StoredSchedule,
  { now, audited }: Call<number>,
  cursor: number | null,
  runs: number | null,
): void {
  if (cursor !== null) {
    transaction.update(tables.schedules, id, { cursor, runs });
    return;
  }
  transaction.update(tables.schedules, id, { cursor, runs, status: 'completed', error: null, lastRunAt: now });
  if (audited.completed)
    transaction.insert(tables.audits, { schedule, event: 'completed', slotAt: null, createdAt: now });
}

/** How a schedule stands, as it is told to callers. */
export function standingOf(schedule: StoredSchedule | undefined): Standing {
  const { cursor, runs } = schedule ?? { cursor: null, runs: null };
  return { cursor: cursor === null ? null : new Date(cursor).toISOString(), runs };
}

/** A cursor in ISO text as epoch milliseconds. */
export function epoch(cursor: string | null): number | null {
  return cursor === null ? null : Date.parse(cursor);
}
