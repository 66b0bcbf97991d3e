import { describe, expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';

const boom: Message = { ...messages(1)[0]!, body: 'boom' };
/** Six messages; the engine refuses the one in that slot. */
const refusedAt = (slot: number) => messages(6).with(slot, boom);

async function refused(mutant: string, batch: Message[]) {
  const subject = new TestSubject(mutant);
  subject.refuse('boom');
  const came = await subject.sendBatch(batch);
  return { subject, came };
}

describe('what is left of a batch that the engine refused', () => {
  test.each([
    ['rollback-keeps-one-row', refusedAt(4), bodiesOf(0)],
    ['rollback-leaves-a-stranger', refusedAt(4), [null]],
    ['commit-per-chunk', refusedAt(4), bodiesOf(0, 1, 2, 3)],
    ['last-chunk-apart', refusedAt(5), bodiesOf(0, 1, 2, 3, 4)],
    ['group-per-shape-commits', [...messages(2), { body: 'boom' }], bodiesOf(0, 1)],
  ])('%s leaves rows behind', async (mutant, batch, left) => {
    const { subject, came } = await refused(mutant, batch);
    expect(came).toMatchObject({ threw: expect.stringContaining('refused by the engine') });
    expect(subject.bodies()).toEqual(left);
    expect(subject.lies).toBe(1);
  });

  test.each([
    ['flash-one-row', refusedAt(4)],
    ['flash-one-row', refusedAt(1)],
    ['two-halves-with-compensation', refusedAt(4)],
    ['rollback-keeps-one-row', refusedAt(0)],
    ['last-chunk-apart', refusedAt(4)],
    ['group-per-shape-commits', refusedAt(4)],
  ])('%s leaves nothing behind (%#)', async (mutant, batch) => {
    const { subject, came } = await refused(mutant, batch);
    expect(came).toMatchObject({ threw: expect.stringContaining('refused by the engine') });
    expect(subject.bodies()).toEqual([]);
  });
});

describe('what a reader sees of a batch that is stored', () => {
  /** The bodies that were stored when the mutant called the subject, before and after each of its calls. */
  async function glimpses(mutant: string) {
    const seen: unknown[][] = [];
    const subject = new TestSubject(mutant);
    const lied = () => seen.push(subject.bodies());
    Object.defineProperty(subject, 'lies', { get: () => seen.length, set: lied });
    const came = await subject.sendBatch(messages(6));
    return { subject, came, seen };
  }

  test.each([
    ['flash-one-row', bodiesOf(0, 1)],
    ['two-halves-with-compensation', bodiesOf(0, 1, 2)],
    ['commit-per-chunk', bodiesOf(0, 1)],
    ['last-chunk-apart', bodiesOf(0, 1, 2, 3, 4)],
  ])('%s shows a part of it', async (mutant, part) => {
    const { subject, came, seen } = await glimpses(mutant);
    expect(seen).toEqual([part]);
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2, 3, 4, 5));
    expect(subject.bodiesById(came)).toEqual(bodiesOf(0, 1, 2, 3, 4, 5));
  });
});

test('group-per-shape-commits reports the ids in the order of the messages', async () => {
  const subject = new TestSubject('group-per-shape-commits');
  const [a, b, c] = messages(3) as [Message, Message, Message];
  const came = await subject.sendBatch([a, { body: b.body }, c]);
  expect(subject.bodies()).toEqual(bodiesOf(0, 2, 1));
  expect(subject.bodiesById(came)).toEqual(bodiesOf(0, 1, 2));
});

describe('how a failure is told', () => {
  test('failure-reports-fewer', async () => {
    const { subject, came } = await refused('failure-reports-fewer', refusedAt(2));
    expect(came).toEqual({
      outcomes: Array(5).fill({ failed: expect.objectContaining({ message: 'refused by the engine' }) }),
    });
    expect(subject.lies).toBe(1);
  });

  test('failure-told-the-other-way: outcomes where the subject throws', async () => {
    const { subject, came } = await refused('failure-told-the-other-way', refusedAt(2));
    expect(came).toEqual({
      outcomes: Array(6).fill({ failed: expect.objectContaining({ message: 'refused by the engine' }) }),
    });
    expect(subject.lies).toBe(1);
  });

  test('commit-of-aborted-is-success', async () => {
    const { subject, came } = await refused('commit-of-aborted-is-success', refusedAt(2));
    expect(subject.bodiesById(came)).toEqual(Array(6).fill(undefined));
    expect(came).toMatchObject({ outcomes: Array(6).fill({ stored: expect.any(Number) }) });
    expect(subject.lies).toBe(1);
  });

  test.each(['failure-reports-fewer', 'failure-told-the-other-way', 'commit-of-aborted-is-success'])(
    '%s keeps to the truth where the backend itself refuses, and where the namespace is missing',
    async (mutant) => {
      const subject = new TestSubject(mutant);
      expect(await subject.sendBatch([{ body: undefined }])).toHaveProperty('threw');
      subject.wipe();
      expect(await subject.sendBatch(messages(2))).toHaveProperty('threw');
      expect(subject.lies).toBe(0);
    },
  );
});

describe('the batch after a refused one', () => {
  test('poisoned-after-failure fails it, and only it', async () => {
    const { subject } = await refused('poisoned-after-failure', refusedAt(2));
    expect(await subject.sendBatch(messages(2))).toHaveProperty('threw');
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(1);
    await subject.sendBatch(messages(2));
    expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  });

  test('last-reply-first stores it and answers with the failure', async () => {
    const { subject } = await refused('last-reply-first', refusedAt(2));
    expect(await subject.sendBatch(messages(2))).toMatchObject({
      threw: expect.stringContaining('refused by the engine'),
    });
    expect(subject.bodies()).toEqual(bodiesOf(0, 1));
    expect(subject.lies).toBe(1);
    expect(subject.bodiesById(await subject.sendBatch(messages(3).slice(2)))).toEqual(bodiesOf(2));
  });

  test.each(['poisoned-after-failure', 'last-reply-first'])('%s takes no notice of a refusal', async (mutant) => {
    const subject = new TestSubject(mutant);
    await subject.sendBatch([{ body: undefined }]);
    const came = await subject.sendBatch(messages(2));
    expect(subject.bodiesById(came)).toEqual(bodiesOf(0, 1));
    expect(subject.lies).toBe(0);
  });
});
