import { expect, test } from 'vitest';
import { MemorySubject } from './fixtures/memory-subject.ts';

const keyed = (...keys: string[]) => keys.map((dedupeKey) => ({ body: dedupeKey, priority: 1, dedupeKey }));

test('keyed-batch-in-halves keeps the first half of a batch whose second half is refused', async () => {
  const subject = new MemorySubject('keyed-batch-in-halves', 'refuse-duplicates');
  const { sendBatch } = subject.port;
  await sendBatch([{ body: 'taken', dedupeKey: 'taken' }], {});
  const outcomes = await sendBatch(keyed('a', 'b', 'taken', 'c'), {});
  expect(outcomes).toEqual(Array(4).fill({ failed: expect.objectContaining({ code: 'DUPLICATE_KEY' }) }));
  expect([subject.bodies(), subject.lies]).toEqual([['taken', 'a', 'b'], 1]);
});

test('keyed-batch-in-halves leaves messages with keys alone as they are', async () => {
  const subject = new MemorySubject('keyed-batch-in-halves');
  await subject.port.sendBatch([{ body: 'a', dedupeKey: 'a' }, { body: 'b' }], {});
  expect([subject.bodies(), subject.lies]).toEqual([['a', 'b'], 0]);
});

test('chunk-size-commits-each-chunk reports the whole batch in the order of its messages', async () => {
  const subject = new MemorySubject('chunk-size-commits-each-chunk');
  const { sendBatch } = subject.port;
  const outcomes = await sendBatch([{ body: 'a' }, { body: 'b' }, { body: 'c' }], { chunkSize: 2 });
  expect(outcomes).toHaveLength(3);
  expect([subject.bodies(), subject.lies]).toEqual([['a', 'b', 'c'], 2]);
  await sendBatch([{ body: 'd' }, { body: 'e' }], {});
  expect(subject.lies).toBe(2);
});
