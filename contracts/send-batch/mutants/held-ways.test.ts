import { expect, test } from 'vitest';
import { MemorySubject } from './fixtures/memory-subject.ts';

async function held(mutant: string) {
  const subject = new MemorySubject(mutant);
  const transaction = await subject.port.begin!();
  const send = (body: string, options: object = {}, more: object = {}) =>
    subject.port.sendBatch([{ body, ...more }], { transaction: transaction.handle, ...options });
  return { subject, transaction, send };
}

test('third-batch-on-its-own commits the third batch in a transaction, and no earlier one', async () => {
  const { subject, transaction, send } = await held('third-batch-on-its-own');
  for (const body of ['first', 'second', 'third']) await send(body);
  await transaction.rollback();
  expect([subject.bodies(), subject.lies]).toEqual([['third'], 1]);
});

test('chunk-size-on-its-own commits what asks for a chunk size', async () => {
  const { subject, transaction, send } = await held('chunk-size-on-its-own');
  await send('plain');
  await send('in chunks', { chunkSize: 2 });
  await transaction.rollback();
  expect([subject.bodies(), subject.lies]).toEqual([['in chunks'], 1]);
});

test('held-priority-dropped drops it in a transaction only', async () => {
  const { subject, transaction, send } = await held('held-priority-dropped');
  await send('inside', {}, { priority: 7 });
  await transaction.commit();
  await subject.port.sendBatch([{ body: 'outside', priority: 7 }], {});
  expect(subject.rows()).toMatchObject([{ priority: null }, { priority: 7 }]);
  expect(subject.lies).toBe(1);
});

test('held-job-dropped drops it in a transaction only', async () => {
  const { subject, transaction, send } = await held('held-job-dropped');
  await send('inside', {}, { job: 'held' });
  await transaction.commit();
  await subject.port.sendBatch([{ body: 'outside', job: 'report' }], {});
  expect(subject.rows('jobs')).toMatchObject([{ name: 'report' }]);
  expect(subject.lies).toBe(1);
});

test('held-signal-dropped sends what is aborted already', async () => {
  const { subject, transaction, send } = await held('held-signal-dropped');
  await send('aborted', { signal: AbortSignal.abort() });
  await transaction.commit();
  expect([subject.bodies(), subject.lies]).toEqual([['aborted'], 1]);
});

test('keyed-failure-ends-the-transaction leaves it open after another failure', async () => {
  const { subject, transaction, send } = await held('keyed-failure-ends-the-transaction');
  await transaction.run('insert jobs {}');
  await expect(send('plain', {}, { priority: 'high' })).rejects.toThrow();
  await transaction.run('insert jobs {}');
  expect(subject.lies).toBe(0);
  await expect(send('keyed', {}, { dedupeKey: 'a', priority: 'high' })).rejects.toThrow();
  await expect(async () => transaction.run('insert jobs {}')).rejects.toThrow('closed');
  expect([subject.bodies(), subject.lies]).toEqual([[], 1]);
});
