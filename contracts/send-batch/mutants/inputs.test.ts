import { expect, test } from 'vitest';
import type { SendOptions } from '../port.ts';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';

test('id-written-into-the-message', async () => {
  const subject = new TestSubject('id-written-into-the-message');
  const batch = messages(2);
  await subject.sendBatch(batch);
  expect(batch).toEqual(messages(2).map((message, i) => ({ ...message, id: String(i + 1) })));
  expect(subject.lies).toBe(2);
  const frozen = [Object.freeze(messages(1)[0]!)];
  expect(await subject.sendBatch(frozen)).toHaveProperty('threw');
});

test('options-object-filled-in', async () => {
  const subject = new TestSubject('options-object-filled-in');
  const options: SendOptions = {};
  await subject.sendBatch(messages(2), options);
  expect(options).toEqual({ chunkSize: 100 });
  expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  expect(subject.lies).toBe(1);
});

test('caller-buffer-kept stores at the next call what the messages have become', async () => {
  const subject = new TestSubject('caller-buffer-kept');
  const batch = messages(2);
  await subject.sendBatch(batch);
  batch[1]!.body = 'changed later';
  expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  await subject.sendBatch(messages(3).slice(2));
  expect(subject.bodies()).toEqual([...bodiesOf(0), 'changed later', ...bodiesOf(2)]);
  expect(subject.lies).toBe(1);
});

test('messages-read-too-late stores what the messages become while the call is in flight', async () => {
  const subject = new TestSubject('messages-read-too-late');
  const batch = messages(2);
  const call = subject.sendBatch(batch);
  batch[1]!.body = 'changed in flight';
  await call;
  expect(subject.bodies()).toEqual([...bodiesOf(0), 'changed in flight']);
  expect(subject.lies).toBe(1);
});

test.each(['caller-buffer-kept', 'messages-read-too-late'])(
  '%s tells no lie about messages that stay',
  async (mutant) => {
    const subject = new TestSubject(mutant);
    await subject.sendBatch(messages(2));
    await subject.sendBatch(messages(3).slice(2));
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2));
    expect(subject.lies).toBe(0);
  },
);

test('of all other mutants none touches its input', async () => {
  const { sendBatchMutants } = await import('./index.ts');
  for (const { id } of sendBatchMutants) {
    if (['id-written-into-the-message', 'options-object-filled-in'].includes(id)) continue;
    const subject = new TestSubject(id);
    const batch = messages(14);
    const options = {};
    await subject.sendBatch(batch, options);
    expect({ id, batch, options }).toEqual({ id, batch: messages(14), options: {} });
  }
});
