import { inKeyOrder } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import { insertOne } from './insert-one.ts';
import { sendBatchBy } from './sender.ts';

/**
 * The single path in a loop, in one transaction: all or nothing, but a round trip for every message.
 *
 * For batches of a few messages, and to compare the others with. It relies on nothing but the transaction.
 */
export const loop = sendBatchBy(
  {
    async insert(client, rows) {
      const inserted: Answer[] = [];
      for (const [slot, row] of inKeyOrder(rows)) inserted.push(...(await insertOne(client, row, slot)));
      return inserted;
    },
  },
  { chunk: { rows: 1 }, givesUp: { batched: 'each message is sent by the statement of the single path' } },
);
