import { hasKey, inKeyOrder, skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import { copyIn } from './copy-in.ts';
import { copyText } from './copy-text.ts';
import { sendBatchBy } from './sender.ts';

/**
 * COPY into a temporary table, then one insert from there.
 *
 * For batches of many thousands: the rows stream to the server, which needs to hold neither a statement nor parameters
 * of their size, and the socket's pace is kept. For smaller ones the temporary table costs more than COPY saves. COPY
 * alone would return no ids and could not pass over a key that is held, hence the table; it needs the right to create
 * temporary ones (TEMP on the database). It relies on a transaction that holds the three steps, and on the slot that
 * comes back with each id.
 */
export const copy = sendBatchBy(
  {
    async insert(client, rows) {
      await client.query(createIncoming);
      await copyIn(
        client,
        'COPY incoming FROM STDIN',
        copyText(
          inKeyOrder(rows).map(([slot, row], ordinal) => [
            ordinal,
            slot,
            row.body,
            row.destination,
            row.priority,
            row.route,
            row.correlationId,
            row.dedupeKey,
            row.delay,
            row.expiration,
            row.headers,
          ]),
        ),
      );
      const inserted = await client.query<Answer>(insertIncoming(rows.some(hasKey) ? skipHeldKeys : ''));
      return inserted.rows;
    },
  },
  { chunk: 'none' },
);

/** A caller's transaction may still have the table of the batch before. */
const createIncoming = `
  DROP TABLE IF EXISTS pg_temp.incoming;
  CREATE TEMPORARY TABLE incoming (
    ordinal integer, slot integer, body json, destination text, priority bigint, route text, correlation_id text,
    dedupe_key text, delay float8, expiration float8, headers json
  ) ON COMMIT DROP
`;

function insertIncoming(onConflict: string): string {
  return `
    WITH inserted AS (
      INSERT INTO messages (slot, body, destination, priority, route, correlation_id, dedupe_key, due_at, expires_at)
      SELECT slot, body, destination, priority, route, correlation_id, dedupe_key,
             now() + delay * interval '1 millisecond', now() + expiration * interval '1 millisecond'
      FROM incoming
      ORDER BY ordinal
      ${onConflict}
      RETURNING id, slot
    ), with_headers AS (
      INSERT INTO message_headers (message_id, headers)
      SELECT inserted.id, incoming.headers
      FROM inserted JOIN incoming USING (slot)
      WHERE incoming.headers IS NOT NULL
    )
    SELECT id, slot FROM inserted
  `;
}
