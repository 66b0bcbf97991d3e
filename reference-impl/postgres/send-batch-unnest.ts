import { idsBySlot } from '../ids-by-slot.ts';
import { columns } from './columns.ts';
import { sendBatchBy } from './sender.ts';

/**
 * One statement for the whole batch, an array for each column.
 *
 * The first choice: one round trip whatever the size, no limit by the number of parameters, no transaction to hold open.
 * It relies on a statement being all or nothing by itself, and on no trigger leaving rows out: the ordinal is stored
 * with the row and comes back with the id, so neither the order of RETURNING nor that of the identities matters.
 */
export const unnest = sendBatchBy(
  async (database, rows) =>
    idsBySlot(
      await database.statement({ name: 'insert-batch', text: insertMessages, values: columns(rows) }),
      rows.length,
    ),
  { chunk: 'none' },
);

const insertMessages = `
  WITH sent AS (
    SELECT *
    FROM unnest($1::json[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::float8[], $7::float8[], $8::json[])
      WITH ORDINALITY
      AS sent (body, destination, priority, route, correlation_id, delay, expiration, headers, ordinal)
  ), inserted AS (
    INSERT INTO messages (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
    SELECT ordinal - 1, body, destination, priority, route, correlation_id,
           now() + delay * interval '1 millisecond', now() + expiration * interval '1 millisecond'
    FROM sent
    RETURNING id, slot
  ), with_headers AS (
    INSERT INTO message_headers (message_id, headers)
    SELECT inserted.id, sent.headers
    FROM inserted JOIN sent ON sent.ordinal - 1 = inserted.slot
    WHERE sent.headers IS NOT NULL
  )
  SELECT id, slot FROM inserted
`;
