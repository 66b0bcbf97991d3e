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
