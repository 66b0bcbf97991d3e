import { materializeWindowBy } from './materializer.ts';
import { parameters, windowStatement } from './window-statement.ts';
import { lossSql, noParent, type Written } from './window-writing.ts';

/**
 * One statement for the whole window, an array for each column.
 *
 * The first choice: one round trip whatever the size, and no transaction to hold open. All parts of a statement see one
 * snapshot, taken before it waits for the schedule's lock, and yet it is right after the wait. FOR UPDATE hands on the row
 * as it was when the lock was got, and the update starts from that row too; a child that was committed meanwhile is not
 * in the snapshot, but in the index of the slots, and that index alone says here which slots are taken. It relies on
 * READ COMMITTED (above it, a wait for a row that has changed is an error, which may be tried again), and on no trigger
 * leaving rows out, since a row that is not created is taken for a slot that is.
 */
export const unnest = materializeWindowBy(
  {
    async write(client, writing) {
      const { version, cursor, now } = writing;
      const { rows } = await client.query<Written>({
        name: 'write-window',
        text: writeWindow,
        values: [...parameters(writing), now, version, cursor],
      });
      return rows[0] ?? noParent;
    },
    commitsItself: true,
  },
  { chunk: 'none', clock: 'caller' },
);

const writeWindow = windowStatement(`
  SELECT id, cursor, runs, ${lossSql('schedules', '$13::bigint', '$14::timestamptz')} AS loss
  FROM schedules WHERE id = $1 FOR UPDATE
`);
