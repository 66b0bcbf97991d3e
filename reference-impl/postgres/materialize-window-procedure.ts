import { materializeWindowBy } from './materializer.ts';
import { isoSql } from './window-schema.ts';
import { asJson, parameters } from './window-statement.ts';
import { afterSql, lossSql, moveSql, type Written } from './window-writing.ts';

/**
 * A function on the server takes an array for each column and does all that a window needs.
 *
 * For a store that is written from several machines or in several languages: one round trip, one transaction, and one
 * clock. The clock is read when the schedule is locked, so that of two windows of one schedule the later one has the
 * later stamp, however long it waited. It relies on the function being there in the version that the caller knows.
 */
export const procedure = materializeWindowBy(
  {
    async write(client, writing) {
      const { rows } = await client.query<Written>({
        name: 'write-window',
        text: 'SELECT * FROM write_window($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
        values: [...parameters(writing), writing.version, writing.cursor],
      });
      return rows[0]!;
    },
    commitsItself: true,
  },
  { chunk: 'none', clock: 'database' },
  `
  CREATE OR REPLACE FUNCTION write_window(
    schedule_id text, slots timestamptz[], bodies json[], delays float8[], expirations float8[], routes text[],
    priorities bigint[], next_cursor timestamptz, advances boolean, audits_created boolean, audits_completed boolean,
    expected_version bigint, expected_cursor timestamptz,
    OUT loss text, OUT created json, OUT cursor text, OUT runs integer
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    parent schedules;
    stamp timestamptz;
    children bigint := 0;
  BEGIN
    SELECT * INTO parent FROM schedules WHERE id = schedule_id FOR UPDATE;
    stamp := clock_timestamp();
    loss := ${lossSql('parent', 'expected_version', 'expected_cursor')};
    created := '[]';

    IF loss IS NULL THEN
      WITH inserted AS (
        INSERT INTO occurrences (schedule, slot_at, position, body, due_at, expires_at, route, priority, created_at)
        SELECT schedule_id, slot_at, ordinal - 1, body, ${afterSql('slot_at', 'coalesce(delay, 0)')},
               ${afterSql('slot_at', 'expiration')}, route, priority, stamp
        FROM unnest(slots, bodies, delays, expirations, routes, priorities)
          WITH ORDINALITY AS sent (slot_at, body, delay, expiration, route, priority, ordinal)
        ORDER BY ordinal
        ON CONFLICT (schedule, slot_at) DO NOTHING
        RETURNING id, slot_at, position
      ), audited AS (
        INSERT INTO audits (schedule, event, slot_at, created_at)
        SELECT schedule_id, 'created', slot_at, stamp FROM inserted WHERE audits_created
      )
      SELECT count(*), ${asJson} INTO children, created FROM inserted;

      IF children > 0 OR advances THEN
        UPDATE schedules SET ${moveSql('next_cursor', 'children', 'stamp')} WHERE id = schedule_id
        RETURNING * INTO parent;
        IF next_cursor IS NULL AND audits_completed THEN
          INSERT INTO audits (schedule, event, created_at) VALUES (schedule_id, 'completed', stamp);
        END IF;
      END IF;
    END IF;

    cursor := ${isoSql('parent.cursor')};
    runs := parent.runs;
  END $$;`,
);
