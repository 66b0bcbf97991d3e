import { duplicate, type ReportedOutcome, stored } from '../../index.ts';
import type { Row } from '../../memory.ts';
import { DuplicateKey, type KeyRule, keyIdentity } from './keys.ts';
import type { NewMessage, Reading } from './new-message.ts';

/** A stored row that has a key; `id` is the store's own number of the row. */
export type StoredHolder = Pick<NewMessage, 'messageId' | 'body'> & { id: number };

/** What is to be done for a batch, and what is then told of each of its messages. */
export interface Plan {
  inserts: Reading[];
  /** New content of stored rows, by the store's number. */
  updates: Map<number, Row>;
  outcomes: ReportedOutcome[];
}

/** Decides message by message, in the caller's order, so that a batch comes to what as many single sends come to. */
export function planOf(
  batch: readonly Reading[],
  storedHolders: ReadonlyMap<string, StoredHolder>,
  keys: KeyRule,
): Plan {
  const plan: Plan = { inserts: [], updates: new Map(), outcomes: [] };
  /** Who has a key: a stored row, or a message of this batch that is about to be one. */
  const holders = new Map<string, StoredHolder | Reading>(storedHolders);
  for (const reading of batch) {
    const { row, position } = reading;
    const about = { dedupeKey: row.dedupeKey, correlationId: row.correlationId };
    const identity = keyIdentity(row, keys);
    const holder = identity === undefined ? undefined : holders.get(identity);
    if (holder === undefined) {
      const insert = { ...reading };
      plan.inserts.push(insert);
      plan.outcomes.push({ ...stored(row.messageId), about });
      if (identity !== undefined) holders.set(identity, insert);
      continue;
    }
    if (keys.policy === 'refuse') throw new DuplicateKey(position, row.dedupeKey!);
    const { messageId, body } = 'row' in holder ? holder.row : holder;
    if (keys.policy === 'replace') replace(plan, holder, { ...row, messageId });
    const differs = keys.policy === 'skip' && row.body !== body;
    plan.outcomes.push({ ...duplicate(messageId), ...(differs && { differs }), about });
  }
  return plan;
}

/** The holder of the key keeps its id and takes everything else. */
function replace({ updates }: Plan, holder: StoredHolder | Reading, content: NewMessage): void {
  if ('row' in holder) holder.row = content;
  else updates.set(holder.id, content);
}
