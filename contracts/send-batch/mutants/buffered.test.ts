import { describe, expect, onTestFinished, test, vi } from 'vitest';
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

test('buffer-emptied-after-its-write stores what came before the write, and loses what came after it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const subject = new MemorySubject('buffer-emptied-after-its-write');
  const { accept, flush } = subject.port;
  await accept!(of('before'), {});
  const flushing = flush!();
  await accept!(of('meanwhile'), {});
  await vi.advanceTimersToNextTimerAsync();
  expect(subject.bodies()).toEqual(['before', 'meanwhile']);
  await accept!(of('after'), {});
  await vi.advanceTimersToNextTimerAsync();
  expect(await flushing).toHaveLength(2);
  const next = flush!();
  await vi.runAllTimersAsync();
  expect(await next).toEqual([]);
  expect(subject.bodies()).toEqual(['before', 'meanwhile']);
  expect(subject.lies).toBe(1);
});

test('accept-keeps-the-bodies-only lies about messages with options', async () => {
  const subject = new MemorySubject('accept-keeps-the-bodies-only');
  const { accept, flush } = subject.port;
  await accept!(of('bare'), {});
  expect(subject.lies).toBe(0);
  await accept!([{ body: 'full', priority: 7 }], {});
  await flush!();
  expect(subject.rows()).toMatchObject([
    { body: '"bare"', priority: null },
    { body: '"full"', priority: null },
  ]);
  expect(subject.lies).toBe(1);
});

describe('accept-drops-what-is-not-offered', () => {
  test.each([
    ['an option of the last message', [{ body: 'a' }, { body: 'b', id: 'mine' }], {}, ['a', 'b']],
    ['an option of the call', [{ body: 'a' }], { transaction: {} }, ['a']],
    ['bytes, for text', [{ body: new TextEncoder().encode('a') }], {}, ['a']],
  ])('drops %s', async (_what, batch, options, kept) => {
    const subject = new MemorySubject('accept-drops-what-is-not-offered', 'replace-duplicates');
    await subject.port.accept!(batch, options);
    await subject.port.flush!();
    expect(subject.bodies()).toEqual(kept);
    expect(subject.lies).toBe(1);
  });

  test('leaves all else to the backend', async () => {
    const subject = new MemorySubject('accept-drops-what-is-not-offered', 'replace-duplicates');
    const { accept, flush } = subject.port;
    await expect(accept!([{ body: 'a', job: 'nightly' }], {})).rejects.toThrow('not supported');
    await expect(accept!([{ body: undefined }], {})).rejects.toThrow('cannot be stored');
    await accept!([{ body: 'a', priority: 7 }], {});
    await flush!();
    expect(subject.rows()).toMatchObject([{ body: '"a"', priority: 7 }]);
    expect(subject.lies).toBe(0);
  });
});

test('a buffer that lies refuses what is not offered', async () => {
  const subject = new MemorySubject('accept-keeps-the-bodies-only', 'replace-duplicates');
  await expect(subject.port.accept!([{ body: 'a', id: 'mine' }], {})).rejects.toThrow('not supported');
  expect(await subject.port.flush!()).toEqual([]);
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

test('accept-keeps-the-callers-objects stores what the caller has made of them', async () => {
  const subject = new MemorySubject('accept-keeps-the-callers-objects');
  const { accept, flush } = subject.port;
  const message = { body: 'accepted' };
  await accept!([message], {});
  message.body = 'changed';
  await flush!();
  expect([subject.bodies(), subject.lies]).toEqual([['changed'], 1]);
});

test('accept-drops-jobs lies about messages that ask for one', async () => {
  const subject = new MemorySubject('accept-drops-jobs');
  const { accept, flush } = subject.port;
  await accept!([{ body: 'plain' }], {});
  expect(subject.lies).toBe(0);
  await accept!([{ body: 'job', job: 'report' }], {});
  await flush!();
  expect([subject.bodies(), subject.rows('jobs'), subject.lies]).toEqual([['plain', 'job'], [], 1]);
});

test('flush-tells-duplicates-last moves an outcome behind that of a later message', async () => {
  const subject = new MemorySubject('flush-tells-duplicates-last');
  const { accept, flush } = subject.port;
  const keys = ['a', 'a', 'b'];
  await accept!(
    keys.map((dedupeKey, slot) => ({ body: slot, dedupeKey })),
    {},
  );
  expect((await flush!()).map((outcome) => Object.keys(outcome)[0])).toEqual(['stored', 'stored', 'duplicate']);
  expect(subject.lies).toBe(1);
});
