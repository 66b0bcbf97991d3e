import type { ReportedOutcome } from '../../index.ts';
import type { Row, Transaction } from '../../memory.ts';
import { type KeyRule, keyIdentity } from './keys.ts';
import type { NewMessage, Reading } from './new-message.ts';
import { refuseTakenIds } from './own-ids.ts';
import { planOf, type StoredHolder } from './plan.ts';
import { tables } from './tables.ts';

/** How a batch is written. */
export interface WriteRules {
  keys: KeyRule;
  /** Rows that one statement carries. */
  chunk: number;
  /** Whether each message gets a row in the table of statuses. */
  statuses: boolean;
}

/** What has to be locked so that nobody else takes a key or an id of this batch; sorted, so that all lock in one order. */
export function locksOf(batch: readonly Reading[], keys: KeyRule): string[] {
  const names = batch.flatMap(({ row, ownId }) => {
    const identity = keyIdentity(row, keys);
    return [...(identity === undefined ? [] : [`key ${identity}`]), ...(ownId ? [`id ${row.messageId}`] : [])];
  });
  return [...new Set(names)].sort();
}

/** Writes a batch in a transaction that holds the locks of its keys and ids. */
export function writeBatch(
  transaction: Transaction,
  batch: readonly Reading[],
  { keys, chunk, statuses }: WriteRules,
): ReportedOutcome[] {
  const { inserts, updates, outcomes } = planOf(batch, holdersOf(transaction, batch, keys), keys);
  refuseTakenIds(transaction, inserts);
  const insert = (table: string, rows: readonly Row[]): void => {
    for (let from = 0; from < rows.length; from += chunk) transaction.insertMany(table, rows.slice(from, from + chunk));
  };
  insert(
    tables.messages,
    inserts.map(({ row }) => row),
  );
  if (statuses) {
    insert(
      tables.statuses,
      inserts.map(({ row }) => ({ messageId: row.messageId, status: 'waiting' })),
    );
  }
  insert(
    tables.jobs,
    inserts.flatMap(({ row, job }) => (job === null ? [] : [{ name: job, messageId: row.messageId }])),
  );
  for (const [id, content] of updates) transaction.update(tables.messages, id, content);
  return outcomes;
}

/** The stored rows that have a key of this batch, by its identity. */
function holdersOf(transaction: Transaction, batch: readonly Reading[], keys: KeyRule): Map<string, StoredHolder> {
  const wanted = new Set(batch.map(({ row }) => keyIdentity(row, keys)));
  wanted.delete(undefined);
  if (wanted.size === 0) return new Map();
  const identityOf = (row: Readonly<Row>) => keyIdentity(row as NewMessage, keys);
  const rows = transaction.rows(tables.messages, (row) => wanted.has(identityOf(row)));
  return new Map(rows.map((row) => [identityOf(row)!, row as unknown as StoredHolder]));
}
