import type { ClientBase } from 'pg';
import type { Standing } from '../../index.ts';
import type { NewSlot } from '../window.ts';
import { materializeWindowBy } from './materializer.ts';
import { afterSql, lossSql, moveSql, noParent, standing, type Writing, type Written } from './window-writing.ts';

/**
 * Slot by slot, in one transaction that has locked the schedule first: a round trip for every slot.
 *
 * For windows of a few slots, and to compare the others with. It relies on nothing but the transaction and the lock.
 */
export const loop = materializeWindowBy(
  {
    async write(client, writing) {
      const { slots, next, advances } = writing;
      const parent = await lock(client, writing);
      if (parent.loss) return parent;
      const created: { position: number; id: string }[] = [];
      for (const [position, slot] of slots.entries()) {
        const id = await createChild(client, writing, slot, position);
        if (id !== undefined) created.push({ position, id });
      }
      if (created.length === 0 && !advances) return parent;
      return { loss: null, created, ...(await move(client, writing, next, created.length)) };
    },
  },
  { chunk: { rows: 1 }, clock: 'caller', givesUp: { batched: 'each slot is written by a statement of its own' } },
);

async function lock(client: ClientBase, { schedule, version, cursor }: Writing): Promise<Written> {
  const { rows } = await client.query<Written>({
    name: 'lock-schedule',
    text: `
      SELECT ${lossSql('schedules', '$2::bigint', '$3::timestamptz')} AS loss, '[]'::json AS created, ${standing}
      FROM schedules WHERE id = $1 FOR UPDATE
    `,
    values: [schedule, version, cursor],
  });
  return rows[0] ?? noParent;
}

/** The id of the slot's child with its row in the audit; undefined when the slot is taken. */
async function createChild(
  client: ClientBase,
  { schedule, audited, now }: Writing,
  { at, body, delay, expiration, route, priority }: NewSlot,
  position: number,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>({
    name: 'create-child',
    text: createOne,
    values: [schedule, at, position, body, delay ?? 0, expiration, route, priority, now, audited.created],
  });
  return rows[0]?.id;
}

const createOne = `
  WITH created AS (
    INSERT INTO occurrences (schedule, slot_at, position, body, due_at, expires_at, route, priority, created_at)
    VALUES ($1, $2::timestamptz, $3, $4, ${afterSql('$2::timestamptz', '$5::float8')},
            ${afterSql('$2::timestamptz', '$6::float8')}, $7, $8, $9::timestamptz)
    ON CONFLICT (schedule, slot_at) DO NOTHING
    RETURNING id, slot_at
  ), audited AS (
    INSERT INTO audits (schedule, event, slot_at, created_at)
    SELECT $1, 'created', slot_at, $9::timestamptz FROM created WHERE $10::boolean
  )
  SELECT id FROM created
`;

async function move(
  client: ClientBase,
  { schedule, audited, now }: Writing,
  next: string | null,
  children: number,
): Promise<Standing> {
  const { rows } = await client.query<Standing>({
    name: 'move-schedule',
    text: moveOne,
    values: [schedule, next, children, now, audited.completed],
  });
  return rows[0]!;
}

const moveOne = `
  WITH moved AS (
    UPDATE schedules SET ${moveSql('$2::timestamptz', '$3::integer', '$4::timestamptz')} WHERE id = $1
    RETURNING id, cursor, runs
  ), audited AS (
    INSERT INTO audits (schedule, event, slot_at, created_at)
    SELECT id, 'completed', NULL, $4::timestamptz FROM moved WHERE cursor IS NULL AND $5::boolean
  )
  SELECT ${standing} FROM moved
`;
