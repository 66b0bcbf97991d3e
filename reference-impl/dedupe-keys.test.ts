import { expect, test } from 'vitest';
import { duplicates, inKeyOrder, skipped } from './dedupe-keys.ts';

const row = (dedupeKey: string | null, body = '1') => ({ dedupeKey, body });

test('rows come in the order of their keys, equal ones in that of the caller, those without one first', () => {
  const rows = [row('b'), row(null), row('a', '1'), row('B'), row('a', '2'), row(null)];
  expect(inKeyOrder(rows)).toEqual([1, 5, 3, 2, 4, 0].map((slot) => [slot, rows[slot]]));
});

test('rows without keys stay as they are', () => {
  const rows = [row(null), row(null)];
  expect(inKeyOrder(rows)).toEqual([...rows.entries()]);
});

test('a message without a key that was not inserted is not taken for skipped', () => {
  const inserted = [{ slot: 1n, id: 1n }];
  expect(skipped([row(null), row('a'), row('b', '2')], inserted)).toEqual([{ slot: 2, key: 'b', body: '2' }]);
});

test('a skipped message is answered by the row that holds its key, and told when that has another body', () => {
  const holders = [
    { id: 7n, dedupe_key: 'b', body: '2' },
    { id: 8n, dedupe_key: 'a', body: '1' },
  ];
  const messages = [
    { slot: 0, key: 'a', body: '1' },
    { slot: 3, key: 'b', body: '1' },
  ];
  expect(duplicates(messages, holders)).toEqual([
    { slot: 0, id: 8n, duplicate: true, differs: false },
    { slot: 3, id: 7n, duplicate: true, differs: true },
  ]);
});

test('a key that nobody holds any more fails the batch, which may be sent again', () => {
  const attempt = () => duplicates([{ slot: 2, key: 'a', body: '1' }], []);
  expect(attempt).toThrow(expect.objectContaining({ name: 'HolderGone', position: 2, retryable: true }));
});
