import { duplicate, type ReportedOutcome, stored } from '../../index.ts';
import type { Row, Transaction } from '../../memory.ts';
import { DuplicateKey, type KeyRule, keyIdentity } from './keys.ts';
import type { NewMessage, Reading } from './new-message.ts';

export const tables = { messages: 'messages', statuses: 'statuses', jobs: 'jobs' } as const;

/** How a batch is written. */
export interface WriteRules {
  keys: KeyRule;
  /** Rows that one statement carries. */
  chunk: number;
  /** Whether each message gets a row in the table of statuses. */
  statuses: boolean;
}

/** What must be locked so that no other transaction takes a key or an id of this batch; sorted, so that all lock alike. */
export function locksOf(batch: readonly Reading[], keys: KeyRule): string[] {
  const names = new Set<string>();
  for (const { row, ownId } of batch) {
    const identity = keyIdentity(row, keys);
    if (identity !== undefined) names.add(`key ${identity}`);
    if (ownId) names.add(`id ${row.messageId}`);
  }
  return [...names].sort();
}

/** Writes a batch in a transaction that holds the locks of its keys and ids. */
export function writeBatch(
  transaction: Transaction,
  batch: readonly Reading[],
  { keys, chunk, statuses }: WriteRules,
): ReportedOutcome[] {
  refuseTakenIds(transaction, batch);
  const plan = planOf(batch, holders(transaction, batch, keys), keys);
  insertInChunks(
    transaction,
    tables.messages,
    plan.inserts.map(({ row }) => row),
    chunk,
  );
  if (statuses) {
    const waiting = plan.inserts.map(({ row }) => ({ messageId: row.messageId, status: 'waiting' }));
    insertInChunks(transaction, tables.statuses, waiting, chunk);
  }
  const jobs = plan.inserts.flatMap(({ row, job }) => (job === null ? [] : [{ name: job, messageId: row.messageId }]));
  insertInChunks(transaction, tables.jobs, jobs, chunk);
  for (const [id, content] of plan.updates) transaction.update(tables.messages, id, content);
  return plan.outcomes;
}

/** Who has a key: a row that is stored already, or a message of this batch that is about to be. */
type Holder = { messageId: string; id: number } | { messageId: string; insert: Reading };

interface Plan {
  inserts: Reading[];
  /** New content of stored rows, by the store's number. */
  updates: Map<number, Row>;
  outcomes: ReportedOutcome[];
}

function planOf(batch: readonly Reading[], holderOf: Map<string, Holder>, keys: KeyRule): Plan {
  const plan: Plan = { inserts: [], updates: new Map(), outcomes: [] };
  batch.forEach((reading, position) => {
    const { row } = reading;
    const identity = keyIdentity(row, keys);
    const holder = identity === undefined ? undefined : holderOf.get(identity);
    if (!holder) {
      const insert = { ...reading };
      plan.inserts.push(insert);
      plan.outcomes.push(stored(row.messageId));
      if (identity !== undefined) holderOf.set(identity, { messageId: row.messageId, insert });
      return;
    }
    if (keys.policy === 'refuse') throw new DuplicateKey(position, row.dedupeKey!);
    if (keys.policy === 'replace') replace(plan, holder, row);
    plan.outcomes.push(duplicate(holder.messageId));
  });
  return plan;
}

/** The holder of the key keeps its id and takes everything else. */
function replace({ updates }: Plan, holder: Holder, row: NewMessage): void {
  const content = { ...row, messageId: holder.messageId };
  if ('id' in holder) updates.set(holder.id, content);
  else holder.insert.row = content;
}

/** The stored rows that have a key of this batch. */
function holders(transaction: Transaction, batch: readonly Reading[], keys: KeyRule): Map<string, Holder> {
  const identities = new Set(batch.map(({ row }) => keyIdentity(row, keys)));
  identities.delete(undefined);
  if (identities.size === 0) return new Map();
  const identityOf = (row: Readonly<Row>) => keyIdentity(row as NewMessage, keys);
  const rows = transaction.rows(tables.messages, (row) => identities.has(identityOf(row)));
  return new Map(rows.map((row) => [identityOf(row)!, { messageId: row.messageId as string, id: row.id }]));
}

function refuseTakenIds(transaction: Transaction, batch: readonly Reading[]): void {
  const given = batch.filter(({ ownId }) => ownId).map(({ row }) => row.messageId);
  if (given.length === 0) return;
  const wanted = new Set(given);
  const taken = transaction.rows(tables.messages, (row) => wanted.has(row.messageId as string));
  const seen = new Set(taken.map((row) => row.messageId));
  batch.forEach(({ row, ownId }, position) => {
    if (!ownId) return;
    if (seen.has(row.messageId)) throw new IdTaken(position, row.messageId);
    seen.add(row.messageId);
  });
}

/** A caller's id that another message has already. */
class IdTaken extends Error {
  override name = 'IdTaken';
  readonly code = 'ID_TAKEN';
  readonly retryable = false;
  readonly position: number;

  constructor(position: number, id: string) {
    super(`message ${position}: the id ${JSON.stringify(id)} is taken`);
    this.position = position;
  }
}

function insertInChunks(transaction: Transaction, table: string, rows: readonly Row[], chunk: number): void {
  for (let from = 0; from < rows.length; from += chunk) transaction.insertMany(table, rows.slice(from, from + chunk));
}
