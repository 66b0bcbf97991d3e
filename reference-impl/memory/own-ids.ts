import type { Transaction } from '../../memory.ts';
import type { Reading } from './new-message.ts';
import { tables } from './tables.ts';

/** Throws when a caller's own id is that of another message, stored or in the same batch. */
export function refuseTakenIds(transaction: Transaction, inserts: readonly Reading[]): void {
  const own = inserts.filter(({ ownId }) => ownId);
  if (own.length === 0) return;
  const wanted = new Set(own.map(({ row }) => row.messageId));
  const taken = new Set<unknown>();
  for (const row of transaction.rows(tables.messages, (row) => wanted.has(row.messageId as string))) {
    taken.add(row.messageId);
  }
  for (const { row, position } of own) {
    if (taken.has(row.messageId)) throw new IdTaken(position, row.messageId);
    taken.add(row.messageId);
  }
}

/** A caller's id that another message has already. */
export class IdTaken extends Error {
  override name = 'IdTaken';
  readonly code = 'ID_TAKEN';
  readonly retryable = false;
  readonly position: number;

  constructor(position: number, id: string) {
    super(`message ${position}: the id ${JSON.stringify(id)} is taken`);
    this.position = position;
  }
}
