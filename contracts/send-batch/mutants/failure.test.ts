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

test('group-per-shape-commits leaves behind what has other options than the message that is refused', async () => {
  const { subject, came } = await refused('group-per-shape-commits', [...messages(2), { body: 'boom' }]);
  expect(came).toMatchObject({ threw: expect.stringContaining('refused by the engine') });
  expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  expect(subject.lies).toBe(1);
});

test('group-per-shape-commits leaves nothing behind of messages with the same options', async () => {
  const { subject } = await refused('group-per-shape-commits', refusedAt(4));
  expect(subject.bodies()).toEqual([]);
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
