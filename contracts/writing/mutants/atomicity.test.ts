import { describe, expect, test } from 'vitest';
import { bodiesOf, messages, TestSubject } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import type { Message } from '../../send-batch/port.ts';

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
