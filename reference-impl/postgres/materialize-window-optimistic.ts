import type { ClientBase } from 'pg';
import { materializeWindowBy } from './materializer.ts';
import { parameters, windowStatement } from './window-statement.ts';
import { lossSql, noParent, readStanding, standing, type Writing, type Written } from './window-writing.ts';

/**
 * Compare and swap: the cursor is moved first, if the schedule is what the caller expects, and the children follow.
 *
 * For a store in which a loss is rare, and where nobody should wait who has lost: a loss takes no lock. It relies on an
 * update that has waited for another one to look at its condition again.
 */
export const optimistic = materializeWindowBy(
  {
    async write(client, writing) {
      for (;;) {
        if (await claim(client, writing)) return writeClaimed(client, writing);
        // Between the two the schedule may have become what the caller expects; then it can be claimed.
        const lost = await readLoss(client, writing);
        if (lost.loss) return lost;
      }
    },
  },
  { chunk: 'none', clock: 'caller' },
);

/** Moves the cursor; whether the schedule was what the caller expects. */
async function claim(client: ClientBase, writing: Writing): Promise<boolean> {
  const { schedule, version, cursor, next } = writing;
  const { rowCount } = await client.query({
    name: 'claim-schedule',
    text: `UPDATE schedules SET cursor = $4 WHERE id = $1 AND status = 'active' AND version = $2 AND cursor = $3`,
    values: [schedule, version, cursor, next],
  });
  return rowCount === 1;
}

async function readLoss(client: ClientBase, writing: Writing): Promise<Written> {
  const { schedule, version, cursor } = writing;
  const { rows } = await client.query<Written>({
    name: 'read-loss',
    text: `
      SELECT ${lossSql('schedules', '$2::bigint', '$3::timestamptz')} AS loss, '[]'::json AS created, ${standing}
      FROM schedules WHERE id = $1
    `,
    values: [schedule, version, cursor],
  });
  return rows[0] ?? noParent;
}

async function writeClaimed(client: ClientBase, writing: Writing): Promise<Written> {
  const { rows } = await client.query<Written>({
    name: 'write-claimed-window',
    text: writeWindow,
    values: [...parameters(writing), writing.now],
  });
  const written = rows[0]!;
  if (writing.advances || written.created.length > 0) return written;
  // The slot was taken, and the schedule is to stay as it was: the claim is undone.
  await client.query('ROLLBACK AND CHAIN');
  return { ...written, ...(await readStanding(client, writing.schedule)) };
}

const writeWindow = windowStatement('SELECT id, cursor, runs, NULL AS loss FROM schedules WHERE id = $1');
