import type { ReceivedMessage } from '../../index.ts';
import type { Row, Store } from '../../memory.ts';
import { atomically } from './atomically.ts';
import type { NewMessage } from './new-message.ts';
import { tables } from './tables.ts';

/** Takes up to `count` messages that are due and not expired, in the order in which they were inserted. */
export function receive(store: Store, count: number): ReceivedMessage[] {
  const now = Date.now();
  return atomically(store, (transaction) => {
    const due = transaction.rows(tables.messages, (row) => isDue(row, now)).slice(0, count);
    const taken = new Set(due.map((row) => row.messageId));
    for (const row of due) transaction.delete(tables.messages, row.id);
    for (const { id } of transaction.rows(tables.statuses, (row) => taken.has(row.messageId))) {
      transaction.update(tables.statuses, id, { status: 'received' });
    }
    return due.map((row) => ({ id: row.messageId as string, body: JSON.parse(row.body as string) }));
  });
}

function isDue(row: Readonly<Row>, now: number): boolean {
  const { dueAt, expiresAt } = row as NewMessage;
  return (dueAt === null || dueAt <= now) && (expiresAt === null || expiresAt > now);
}
