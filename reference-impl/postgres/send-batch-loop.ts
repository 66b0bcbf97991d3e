import { insertOne } from './insert-one.ts';
import { sendBatchBy } from './sender.ts';

/**
 * The single path in a loop, in one transaction: all or nothing, but a round trip for every message.
 *
 * For batches of a few messages, and to compare the others with. It relies on nothing but the transaction.
 */
export const loop = sendBatchBy(
  (database, rows) =>
    database.transaction(async (client) => {
      const ids: string[] = [];
      for (const [slot, row] of rows.entries()) {
        const inserted = await client.query<{ id: string }>(insertOne(row, slot));
        ids.push(inserted.rows[0]!.id);
      }
      return ids;
    }),
  { chunk: { rows: 1 }, givesUp: { batched: 'each message is sent by the statement of the single path' } },
);
