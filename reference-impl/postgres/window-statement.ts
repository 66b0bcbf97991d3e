import { isoSql } from './window-schema.ts';
import { afterSql, moveSql, type Writing } from './window-writing.ts';

/**
 * One statement that writes the children that are not there yet, moves the schedule, and leaves its trace in the audit.
 *
 * `parent` selects the schedule with columns `id`, `cursor`, `runs` and `loss`; a loss writes nothing. Its parameters are
 * those of `parameters`, followed by the caller's clock.
 */
export function windowStatement(parent: string): string {
  const now = '$12::timestamptz';
  return `
    WITH parent AS (${parent}), created AS (
      INSERT INTO occurrences (schedule, slot_at, position, body, due_at, expires_at, route, priority, created_at)
      SELECT parent.id, slot_at, ordinal - 1, body, ${afterSql('slot_at', 'coalesce(delay, 0)')},
             ${afterSql('slot_at', 'expiration')}, route, priority, ${now}
      FROM parent, unnest($2::timestamptz[], $3::json[], $4::float8[], $5::float8[], $6::text[], $7::bigint[])
        WITH ORDINALITY AS sent (slot_at, body, delay, expiration, route, priority, ordinal)
      WHERE loss IS NULL
      ORDER BY ordinal
      ON CONFLICT (schedule, slot_at) DO NOTHING
      RETURNING id, slot_at, position
    ), tally AS (
      SELECT count(*) AS children, ${asJson} AS created FROM created
    ), moved AS (
      UPDATE schedules SET ${moveSql('$8::timestamptz', 'children', now)}
      FROM parent, tally
      WHERE schedules.id = parent.id AND loss IS NULL AND (children > 0 OR $9::boolean)
      RETURNING schedules.id, schedules.cursor, schedules.runs
    ), audited AS (
      INSERT INTO audits (schedule, event, slot_at, created_at)
      SELECT $1, 'created', slot_at, ${now} FROM created WHERE $10::boolean
      UNION ALL
      SELECT id, 'completed', NULL, ${now} FROM moved WHERE cursor IS NULL AND $11::boolean
    )
    SELECT loss, created, ${isoSql('CASE WHEN moved.id IS NULL THEN parent.cursor ELSE moved.cursor END')} AS cursor,
           CASE WHEN moved.id IS NULL THEN parent.runs ELSE moved.runs END AS runs
    FROM parent CROSS JOIN tally LEFT JOIN moved ON true
  `;
}

/** SQL: the rows that were created: the position and the id of each. */
export const asJson = `coalesce(json_agg(json_build_object('position', position, 'id', id::text)), '[]')`;

/** What is to be written: the schedule, an array for each column of its slots, and what else is to be done. */
export function parameters({ schedule, slots, next, advances, audited }: Writing): unknown[] {
  return [
    schedule,
    slots.map(({ at }) => at),
    slots.map(({ body }) => body),
    slots.map(({ delay }) => delay),
    slots.map(({ expiration }) => expiration),
    slots.map(({ route }) => route),
    slots.map(({ priority }) => priority),
    next,
    advances,
    audited.created,
    audited.completed,
  ];
}
