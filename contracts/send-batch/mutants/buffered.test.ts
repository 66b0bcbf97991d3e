import { expect, test } from 'vitest';
import { MemorySubject } from './fixtures/memory-subject.ts';

const of = (...bodies: unknown[]) => bodies.map((body) => ({ body }));

test('flush-forgets-the-overflow stores the first thousand only', async () => {
  const subject = new MemorySubject('flush-forgets-the-overflow');
  const { accept, flush } = subject.port;
  await accept!(of(...Array(1001).keys()), {});
  expect(await flush!()).toHaveLength(1000);
  expect(subject.bodies()).toEqual([...Array(1000).keys()]);
  expect(await flush!()).toEqual([]);
  expect(subject.lies).toBe(1);
});

test('buffer-replaced-after-the-write loses what comes during a flush, and nothing else', async () => {
  const subject = new MemorySubject('buffer-replaced-after-the-write');
  const { accept, flush } = subject.port;
  await accept!(of('before'), {});
  const flushing = flush!();
  await Promise.resolve();
  await accept!(of('during'), {});
  await flushing;
  await accept!(of('after'), {});
  await flush!();
  expect(subject.bodies()).toEqual(['before', 'after']);
  expect(subject.lies).toBe(1);
});

test('buffer-cleared-before-the-write loses what a flush could not store', async () => {
  const subject = new MemorySubject('buffer-cleared-before-the-write');
  const { accept, flush } = subject.port;
  await accept!(of('good', undefined), {});
  await expect(flush!()).rejects.toThrow('cannot be stored');
  expect(await flush!()).toEqual([]);
  expect(subject.bodies()).toEqual([]);
  expect(subject.lies).toBe(1);
});

test('buffer-not-emptied writes the same again', async () => {
  const subject = new MemorySubject('buffer-not-emptied');
  const { accept, flush } = subject.port;
  await accept!(of('one'), {});
  await flush!();
  expect([subject.bodies(), subject.lies]).toEqual([['one'], 0]);
  await flush!();
  expect([subject.bodies(), subject.lies]).toEqual([['one', 'one'], 1]);
});

test('a spoiled buffer keeps what a flush could not store, but for its own lie', async () => {
  const subject = new MemorySubject('flush-forgets-the-overflow');
  const { accept, flush } = subject.port;
  await accept!(of('good', undefined), {});
  for (let i = 0; i < 2; i++) await expect(flush!()).rejects.toThrow('cannot be stored');
  expect(subject.lies).toBe(0);
});
