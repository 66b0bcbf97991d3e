import type { ClientBase } from 'pg';
import type { Standing } from '../../index.ts';
import type { Call, NewSlot, ParentLoss } from '../window.ts';
import { isoSql } from './window-schema.ts';

/** What one call is to write, read and checked. */
export interface Writing extends Call<string> {
  slots: readonly NewSlot[];
  /** Where the cursor goes; null completes the schedule. */
  next: string | null;
  /** The cursor moves even when every slot is taken. */
  advances: boolean;
}

/** What became of it; slots that are not among the created ones were taken, unless all of them were lost. */
export interface Written extends Standing {
  loss: ParentLoss | null;
  created: readonly { position: number; id: string }[];
}

/** How a variant writes. */
export interface WindowAlgorithm {
  write(client: ClientBase, writing: Writing): Promise<Written>;
  /** Whether that is one statement after which no other is needed, so that it can commit itself. */
  commitsItself?: true;
}

/** SQL: why a schedule, as a row, is not what the caller expects, in the order in which the reasons are looked for. */
export function lossSql(parent: string, version: string, cursor: string): string {
  return `
    CASE WHEN ${parent}.status IS DISTINCT FROM 'active' OR ${parent}.cursor IS NULL THEN 'parent-inactive'
         WHEN ${parent}.version IS DISTINCT FROM ${version} THEN 'version-mismatch'
         WHEN ${parent}.cursor IS DISTINCT FROM ${cursor} THEN 'cursor-moved' END`;
}

/** SQL: what an update sets of a schedule whose cursor moves; its run count stays at the largest integer. */
export function moveSql(next: string, children: string, now: string): string {
  return `
    cursor = ${next},
    runs = CASE WHEN ${children} = 0 THEN schedules.runs
                ELSE least(2147483647, coalesce(schedules.runs, 0)::bigint + ${children}) END,
    status = CASE WHEN ${next} IS NULL THEN 'completed' ELSE schedules.status END,
    error = CASE WHEN ${next} IS NULL THEN NULL ELSE schedules.error END,
    last_run_at = CASE WHEN ${next} IS NULL OR ${children} > 0 THEN ${now} ELSE schedules.last_run_at END`;
}

/** SQL: so many milliseconds after a slot. */
export function afterSql(slot: string, milliseconds: string): string {
  return `${slot} + ${milliseconds} * interval '1 millisecond'`;
}

/** SQL: the columns that tell how a schedule stands. */
export const standing = `${isoSql('cursor')} AS cursor, runs`;

export async function readStanding(client: ClientBase, schedule: string): Promise<Standing> {
  const { rows } = await client.query<Standing>({
    name: 'standing',
    text: `SELECT ${standing} FROM schedules WHERE id = $1`,
    values: [schedule],
  });
  return rows[0] ?? nowhere;
}

/** A schedule that is not there stands nowhere. */
export const nowhere: Standing = { cursor: null, runs: null };

/** What is lost when the schedule is not there. */
export const noParent: Written = { loss: 'parent-inactive', created: [], ...nowhere };
