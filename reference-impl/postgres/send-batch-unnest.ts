import { hasKey, skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import { columns } from './columns.ts';
import { sendBatchBy } from './sender.ts';

/**
 * One statement for the whole batch, an array for each column.
 *
 * The first choice: one round trip whatever the size, no limit by the number of parameters, and, where no message has a
 * key, no transaction to hold open. It relies on a statement being all or nothing by itself, and on no trigger leaving
 * rows out: the slot is stored with the row and comes back with the id, so neither the order of RETURNING nor that of
 * the identities matters.
 */
export const unnest = sendBatchBy(
  {
    async insert(client, rows) {
      // Being ready for a conflict costs every row a tenth of its time.
      const query = rows.some(hasKey) ? insertKeyed : insertPlain;
      const inserted = await client.query<Answer>({ ...query, values: columns(rows) });
      return inserted.rows;
    },
    commitsItself: (rows) => !rows.some(hasKey),
  },
  { chunk: 'none' },
);

const insertPlain = { name: 'insert-batch', text: insertMessages('') };
const insertKeyed = { name: 'insert-keyed-batch', text: insertMessages(skipHeldKeys) };

function insertMessages(onConflict: string): string {
  return `
    WITH sent AS (
      SELECT *
      FROM unnest($1::integer[], $2::json[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                  $8::float8[], $9::float8[], $10::json[])
        WITH ORDINALITY
        AS sent (slot, body, destination, priority, route, correlation_id, dedupe_key, delay, expiration, headers, ordinal)
    ), inserted AS (
      INSERT INTO messages (slot, body, destination, priority, route, correlation_id, dedupe_key, due_at, expires_at)
      SELECT slot, body, destination, priority, route, correlation_id, dedupe_key,
             now() + delay * interval '1 millisecond', now() + expiration * interval '1 millisecond'
      FROM sent
      ORDER BY ordinal
      ${onConflict}
      RETURNING id, slot
    ), with_headers AS (
      INSERT INTO message_headers (message_id, headers)
      SELECT inserted.id, sent.headers
      FROM inserted JOIN sent USING (slot)
      WHERE sent.headers IS NOT NULL
    )
    SELECT id, slot FROM inserted
  `;
}
