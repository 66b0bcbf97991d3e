import type { SlotOutcome } from '../../index.ts';
import type { Call, NewSlot } from '../window.ts';
import type { Connection } from './connection.ts';
import { jsonRows, microseconds } from './instants.ts';

/** A slot with its instants as they are stored. */
export interface Occurrence extends Pick<NewSlot, 'body' | 'route' | 'priority'> {
  slotAt: bigint;
  next: bigint | null;
  dueAt: bigint;
  expiresAt: bigint | null;
}

export function occurrenceOf({ at, next, delay, expiration, ...content }: NewSlot): Occurrence {
  const slotAt = microseconds(at);
  const after = (milliseconds: number) => slotAt + BigInt(milliseconds) * 1000n;
  return {
    ...content,
    slotAt,
    next: next === null ? null : microseconds(next),
    dueAt: after(delay ?? 0),
    expiresAt: expiration === null ? null : after(expiration),
  };
}

const insertInto = `
  INSERT INTO occurrences (schedule, created_at, slot_at, body, due_at, expires_at, route, priority)`;
const unlessTaken = 'ON CONFLICT (schedule, slot_at) DO NOTHING';

/** Inserts one child and returns its id; undefined where the slot is taken. */
export function insertOne(
  connection: Connection,
  { schedule, now }: Call<bigint>,
  slot: Occurrence,
): bigint | undefined {
  return connection.insert(
    `${insertInto} VALUES (?, ?, ?, ?, ?, ?, ?, ?) ${unlessTaken}`,
    schedule,
    now,
    slot.slotAt,
    slot.body,
    slot.dueAt,
    slot.expiresAt,
    slot.route,
    slot.priority,
  );
}

// `WHERE true` tells SQLite's parser that ON begins no join.
const insertMany = `${insertInto}
  SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
  FROM json_each(?)
  WHERE true
  ORDER BY key
  ${unlessTaken}
  RETURNING id, slot_at
`;

/** Inserts the children whose slots are free, by one statement, and tells which slots they are. Of equal ones the first is. */
export function insertFree(
  connection: Connection,
  { schedule, now }: Call<bigint>,
  slots: readonly Occurrence[],
): { outcomes: SlotOutcome[]; created: bigint[] } {
  const rows = slots.map((s) => [s.slotAt, s.body, s.dueAt, s.expiresAt, s.route, s.priority]);
  const inserted = connection.rows<{ id: bigint; slot_at: bigint }>(insertMany, schedule, now, jsonRows(rows));
  // RETURNING promises no order: a slot leads to its child, and the first of equal ones takes it.
  const ids = new Map(inserted.map(({ id, slot_at }) => [slot_at, id]));
  const created = [...ids.keys()];
  const outcomes = slots.map(({ slotAt }): SlotOutcome => {
    const id = ids.get(slotAt);
    ids.delete(slotAt);
    return id === undefined ? 'already-exists' : { created: id };
  });
  return { outcomes, created };
}
