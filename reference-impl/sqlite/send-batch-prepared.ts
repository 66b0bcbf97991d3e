import { insertOne } from './insert-one.ts';
import { sendBatchBy } from './sender.ts';

/** One prepared insert, run for every row of the batch. */
export const prepared = sendBatchBy(
  (connection, rows) => rows.flatMap((row, slot) => insertOne(connection, row, slot)),
  { chunk: { rows: 1 } },
);
