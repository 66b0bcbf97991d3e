import { expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

const [one, two] = messages(2) as [Message, Message];
const equal = [one, { ...two, body: { ...(one.body as object) } }];
const twice = [one, two, one];
const empty: Message[] = [{ body: null }, { body: null }];

test.each([
  ['equal-bodies-merged', equal, 1],
  ['same-object-sent-once', twice, 2],
  ['empty-messages-collapse', empty, 1],
])('%s stores less than was sent, under shared ids', async (mutant, batch, rows) => {
  const subject = new TestSubject(mutant);
  const came = await subject.sendBatch(batch);
  expect(subject.bodies()).toHaveLength(rows);
  expect(subject.bodiesById(came)).toEqual(batch.map(({ body }) => body));
  expect(subject.lies).toBe(1);
});

test.each([
  ['equal-bodies-merged', [one, two]],
  ['same-object-sent-once', equal],
  ['empty-messages-collapse', [one, { ...one }, { body: null }, { body: null, priority: 1 }]],
])('%s keeps to the truth without its trigger', async (mutant, batch) => {
  const subject = new TestSubject(mutant);
  await subject.sendBatch(batch as Message[]);
  expect(subject.bodies()).toEqual(batch.map(({ body }) => body));
  expect(subject.lies).toBe(0);
});
