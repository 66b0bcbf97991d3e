import { describe, expect, test } from 'vitest';
import { MemorySubject } from './fixtures/memory-subject.ts';

const bodies = ['a', 'b', 'c', 'd'];
/** The third of four cannot be stored. */
const inPart = bodies.map((body) => ({ body: body === 'c' ? undefined : body }));
const failed = { failed: expect.any(Error) };
const stored = { stored: expect.any(Number) };

describe('of a batch that is stored in part', () => {
  test.each([
    ['item-error-ignored', [stored, stored, { stored: 1_000_000_007 }, stored], ['a', 'b', 'd']],
    ['failure-without-an-error', [stored, stored, { failed: undefined }, stored], ['a', 'b', 'd']],
    ['all-failed-when-one-failed', [failed, failed, failed, failed], ['a', 'b', 'd']],
  ])('%s lies', async (mutant, told, kept) => {
    const subject = new MemorySubject(mutant, 'pipeline');
    expect(await subject.port.sendBatch(inPart, {})).toEqual(told);
    expect(subject.bodies()).toEqual(kept);
    expect(subject.lies).toBe(1);
  });

  test('error-on-the-wrong-slot lies where several failed', async () => {
    const subject = new MemorySubject('error-on-the-wrong-slot', 'pipeline');
    expect(await subject.port.sendBatch([{ body: undefined }, ...inPart], {})).toEqual([
      stored,
      failed,
      stored,
      stored,
      failed,
    ]);
    expect(await subject.port.sendBatch(inPart, {})).toEqual([stored, stored, failed, stored]);
    expect(subject.lies).toBe(1);
  });

  test('missing-from-both-lists-is-ok loses another message than the one that failed', async () => {
    const subject = new MemorySubject('missing-from-both-lists-is-ok', 'pipeline');
    const batch = [{ body: undefined }, { body: 'b' }, { body: 'c' }, { body: 'd' }];
    expect(await subject.port.sendBatch(batch, {})).toEqual([failed, stored, { stored: 1_000_000_007 }, stored]);
    expect(subject.bodies()).toEqual(['b', 'd']);
    expect(subject.lies).toBe(1);
  });
});

describe('of a batch with a destination that does not exist', () => {
  const batch = bodies.map((body, slot) => ({ body, destination: slot === 2 ? 'nowhere' : 'orders' }));

  test.each([
    ['unknown-destination-joined-away', [stored, stored, { stored: null }, stored], ['a', 'b', 'd']],
    ['unknown-destination-sent-elsewhere', [stored, stored, stored, stored], ['a', 'b', 'd', 'c']],
  ])('%s stores the others once', async (mutant, told, kept) => {
    const subject = new MemorySubject(mutant, 'pipeline');
    expect(await subject.port.sendBatch(batch, {})).toEqual(told);
    expect(subject.bodies()).toEqual(kept);
    expect(subject.lies).toBe(1);
  });
});

test.each([
  'item-error-ignored',
  'failure-without-an-error',
  'all-failed-when-one-failed',
  'error-on-the-wrong-slot',
  'missing-from-both-lists-is-ok',
])('%s keeps to the truth about batches that are stored whole, or not at all', async (mutant) => {
  const subject = new MemorySubject(mutant, 'pipeline');
  const whole = await subject.port.sendBatch(
    bodies.map((body) => ({ body })),
    {},
  );
  expect(whole).toEqual([stored, stored, stored, stored]);
  const kept = subject.rows();
  expect(whole.map((outcome) => kept.find(({ id }) => 'stored' in outcome && id === outcome.stored)?.body)).toEqual(
    bodies.map((body) => JSON.stringify(body)),
  );
  expect(await subject.port.sendBatch([{ body: undefined }, { body: undefined }], {})).toEqual([failed, failed]);
  expect(subject.lies).toBe(0);
});
