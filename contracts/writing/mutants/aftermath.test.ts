import { describe, expect, test } from 'vitest';
import { bodiesOf, messages, TestSubject } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
/** Six messages, one of which the engine refuses. */
const refused = messages(6).with(4, { body: 'boom' });

test.each([
  ['late-extra-row', messages(101), bodiesOf(...numbers(101)), [...bodiesOf(...numbers(101)), null]],
  ['straggler-after-failure', refused, [], bodiesOf(0)],
])('%s stores a row when the call has settled', async (mutant, batch, atFirst, later) => {
  const subject = new TestSubject(mutant);
  subject.refuse('boom');
  await subject.sendBatch(batch);
  expect(subject.bodies()).toEqual(atFirst);
  await expect.poll(() => subject.lies).toBe(1);
  expect(subject.bodies()).toEqual(later);
});

test('ghosts-with-the-next-batch stores what was refused, and answers for the next batch alone', async () => {
  const subject = new TestSubject('ghosts-with-the-next-batch');
  subject.refuse('boom');
  expect(await subject.sendBatch(refused)).toHaveProperty('threw');
  subject.refuseNothing();
  const came = await subject.sendBatch(messages(7).slice(6));
  expect(subject.bodies()).toEqual([...bodiesOf(0, 1, 2, 3), 'boom', ...bodiesOf(5, 6)]);
  expect(subject.bodiesById(came)).toEqual(bodiesOf(6));
  expect(subject.lies).toBe(1);
});

test.each([
  ['retry-drops-the-failed-row', [...bodiesOf(0, 1, 2, 3), 'boom'], [...bodiesOf(0, 1, 2, 3), 'boom', undefined]],
  [
    'retry-repeats-the-first-chunk',
    [...bodiesOf(0, 1), ...bodiesOf(0, 1, 2, 3), 'boom', ...bodiesOf(5)],
    [...bodiesOf(0, 1, 2, 3), 'boom', ...bodiesOf(5)],
  ],
])('%s tries again what was refused once, and reports all of it as stored', async (mutant, stored, told) => {
  const subject = new TestSubject(mutant);
  subject.refuse('boom', { once: true });
  const came = await subject.sendBatch(refused);
  expect(subject.bodies()).toEqual(stored);
  expect(subject.bodiesById(came)).toEqual(told);
  expect(subject.lies).toBe(1);
});

test.each(['retry-drops-the-failed-row', 'retry-repeats-the-first-chunk', 'commit-error-swallowed'])(
  '%s reports a row that stays refused',
  async (mutant) => {
    const subject = new TestSubject(mutant);
    subject.refuse('boom');
    expect(await subject.sendBatch(refused)).toMatchObject({ threw: expect.stringContaining('refused by the engine') });
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(0);
  },
);

describe('the batch after a refused one', () => {
  async function afterRefusal(mutant: string) {
    const subject = new TestSubject(mutant);
    subject.refuse('boom');
    await subject.sendBatch(refused);
    return subject;
  }

  test('poisoned-after-failure fails it, and only it', async () => {
    const subject = await afterRefusal('poisoned-after-failure');
    expect(await subject.sendBatch(messages(2))).toHaveProperty('threw');
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(1);
    await subject.sendBatch(messages(2));
    expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  });

  test('last-reply-first stores it and answers with the failure', async () => {
    const subject = await afterRefusal('last-reply-first');
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
