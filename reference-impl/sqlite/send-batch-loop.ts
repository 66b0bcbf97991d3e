import { insertOne } from './insert-one.ts';
import { sendBatchBy } from './sender.ts';

/** The single path in a loop: every message keeps its own transaction, nested as a savepoint in that of the batch. */
export const loop = sendBatchBy(
  (connection, rows) => rows.flatMap((row, slot) => connection.savepoint(() => insertOne(connection, row, slot))),
  { chunk: { rows: 1 }, givesUp: { batched: 'each message is sent by the statements of the single path' } },
);
