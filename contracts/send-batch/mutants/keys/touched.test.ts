import { expect, test } from 'vitest';
import type { Edit, MutantTools } from '../../../kernel/mutant.ts';
import type { Message, SendBatchPort } from '../../port.ts';
import { touchedRowMutants } from './touched.ts';

type Row = Record<string, unknown>;

/** Sends batches to a queue of rows that skips what has a taken key, through the mutant; then shows its rows. */
async function rowsAfter(id: string, ...batches: Message[][]): Promise<{ rows: Row[]; lies: number }> {
  const rows: Row[] = [];
  let lies = 0;
  const subject: SendBatchPort = {
    sendBatch: (messages) =>
      messages.map(({ dedupeKey, route }) => {
        const holder = rows.find((row) => row.key === dedupeKey);
        if (holder) return { duplicate: String(holder.id) };
        const messageId = rows.length;
        rows.push({ id: messageId, key: dedupeKey, route }, { messageId, status: 'waiting' });
        return { stored: messageId };
      }),
  };
  const tools = {
    lied: () => (lies += 1),
    hand: { edit: (change: Edit) => rows.forEach((row) => void change(row, 'any')) },
  } as unknown as MutantTools;
  const port = touchedRowMutants.find((m) => m.id === id)!.wrap(subject, tools) as SendBatchPort;
  for (const batch of batches) await port.sendBatch(batch, {});
  return { rows, lies };
}

const message = (dedupeKey: string, route?: string): Message => ({
  body: dedupeKey,
  dedupeKey,
  ...(route !== undefined && { route }),
});

test('duplicate-changes-the-route of the row that has the key, and of no other', async () => {
  const { rows, lies } = await rowsAfter(
    'duplicate-changes-the-route',
    [message('a', 'east'), message('b', 'east'), message('c')],
    [message('a', 'west'), message('b', 'east'), message('c', 'west')],
  );
  expect(rows.filter(({ key }) => key !== undefined).map(({ key, route }) => [key, route])).toEqual([
    ['a', 'west'],
    ['b', 'east'],
    ['c', undefined],
  ]);
  expect(lies).toBe(1);
});

test('twin-changes-the-route of the first in the same batch', async () => {
  const batch = [message('a', 'east'), message('a', 'west')];
  const { rows, lies } = await rowsAfter('twin-changes-the-route', batch);
  expect(rows[0]).toMatchObject({ key: 'a', route: 'west' });
  expect(lies).toBe(1);
});

test('duplicate-changes-the-status of the message that has the key', async () => {
  const first = [message('a'), message('b')];
  const { rows, lies } = await rowsAfter('duplicate-changes-the-status', first, [message('b'), message('c')]);
  expect(rows.flatMap(({ status }) => status ?? [])).toEqual(['waiting', 'sent again', 'waiting']);
  expect(lies).toBe(1);
});
