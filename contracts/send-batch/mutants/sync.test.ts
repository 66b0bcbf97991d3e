import { expect, test } from 'vitest';
import { MemorySubject } from './fixtures/memory-subject.ts';

test('sync-path-drops-options-of-the-call stores what the backend refuses for its call alone', async () => {
  const subject = new MemorySubject('sync-path-drops-options-of-the-call', 'replace-duplicates');
  const { sendBatch, sendBatchSync } = subject.port;
  expect(sendBatchSync!([{ body: 'a' }], { transaction: {} })).toMatchObject([{ stored: expect.anything() }]);
  expect([subject.bodies(), subject.lies]).toEqual([['a'], 1]);
  expect(() => sendBatchSync!([{ body: 'b', id: 'mine' }], {})).toThrow('not supported');
  expect(() => sendBatchSync!([{ body: undefined }], { chunkSize: 2 })).toThrow('cannot be stored');
  await expect(sendBatch([{ body: 'c' }], { transaction: {} })).rejects.toThrow('not supported');
  expect([subject.bodies(), subject.lies]).toEqual([['a'], 1]);
});

test('sync-path-drops-keys stores twice what has one key', () => {
  const subject = new MemorySubject('sync-path-drops-keys');
  const twice = [
    { body: 'a', dedupeKey: 'key' },
    { body: 'b', dedupeKey: 'key' },
  ];
  subject.port.sendBatchSync!(twice, {});
  expect([subject.bodies(), subject.lies]).toEqual([['a', 'b'], 1]);
});
