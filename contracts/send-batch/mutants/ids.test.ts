import { describe, expect, test } from 'vitest';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';

/** The slots whose rows stand behind the reported ids of one batch. */
async function slotsBehindIds(mutant: string, count: number): Promise<{ slots: unknown[]; lies: number }> {
  const subject = new TestSubject(mutant);
  const came = await subject.sendBatch(messages(count));
  const slots = subject
    .bodiesById(came)
    .map((body) => Number((body as { token: string }).token.slice('token-'.length)));
  return { slots, lies: subject.lies };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('which id belongs to which message', () => {
  test.each([
    ['ids-reversed', 3, [2, 1, 0]],
    ['ids-in-text-order', 11, [0, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['ids-by-destination', 6, [1, 4, 2, 5, 0, 3]],
    ['second-chunk-first', 102, [100, 101, ...upTo(100)]],
    ['adjacent-ids-swapped', 5, [0, 2, 1, 3, 4]],
    ['same-id-for-all', 3, [0, 0, 0]],
  ])('%s lies', async (mutant, count, expected) => {
    expect(await slotsBehindIds(mutant, count)).toEqual({ slots: expected, lies: 1 });
  });

  test.each([
    ['ids-reversed', 1],
    ['ids-in-text-order', 9],
    ['ids-by-destination', 1],
    ['second-chunk-first', 100],
    ['adjacent-ids-swapped', 1],
    ['same-id-for-all', 1],
  ])('%s keeps to the truth without its trigger', async (mutant, count) => {
    expect(await slotsBehindIds(mutant, count)).toEqual({ slots: upTo(count), lies: 0 });
  });
});

describe('ids of a second batch', () => {
  test('second-batch-reuses-ids deletes the rows of a first batch of the same size', async () => {
    const subject = new TestSubject('second-batch-reuses-ids');
    await subject.sendBatch(messages(2));
    expect(subject.lies).toBe(0);
    await subject.sendBatch(messages(4).slice(2));
    expect(subject.bodies()).toEqual(bodiesOf(2, 3));
    expect(subject.lies).toBe(1);
  });

  test('second-batch-reuses-ids leaves a first batch of another size alone', async () => {
    const subject = new TestSubject('second-batch-reuses-ids');
    await subject.sendBatch(messages(2));
    await subject.sendBatch(messages(5).slice(2));
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2, 3, 4));
    expect(subject.lies).toBe(0);
  });

  test('second-batch-reports-the-first-ids when it has the same size', async () => {
    const subject = new TestSubject('second-batch-reports-the-first-ids');
    await subject.sendBatch(messages(2));
    const second = await subject.sendBatch(messages(4).slice(2));
    expect(subject.bodiesById(second)).toEqual(bodiesOf(0, 1));
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2, 3));
    const third = await subject.sendBatch(messages(7).slice(4));
    expect(subject.bodiesById(third)).toEqual(bodiesOf(4, 5, 6));
    expect(subject.lies).toBe(1);
  });
});
