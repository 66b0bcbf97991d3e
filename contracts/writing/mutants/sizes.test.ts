import { describe, expect, test } from 'vitest';
import { bodiesOf, messages, TestSubject } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import type { Message } from '../../send-batch/port.ts';

describe('batches beyond what 16 bits can count', () => {
  const many = (count: number): Message[] => Array.from({ length: count }, (_, i) => ({ body: i }));

  test('rows-spread-as-arguments fails them', async () => {
    const subject = new TestSubject('rows-spread-as-arguments');
    expect(await subject.sendBatch(many(65_536))).toMatchObject({ threw: expect.stringContaining('call stack') });
    expect(subject.bodies()).toEqual([]);
    expect(await subject.sendBatch(messages(2))).toHaveProperty('outcomes');
  });

  test('slot-kept-in-16-bits reports the first ids again', async () => {
    const subject = new TestSubject('slot-kept-in-16-bits');
    const told = subject.bodiesById(await subject.sendBatch(many(65_538)));
    expect(told.slice(65_534)).toEqual([65_534, 65_535, 0, 1]);
    expect(subject.lies).toBe(1);
  });
});

test('chunk-from-the-first-rows-width loses the last of too many wide messages after a narrow one', async () => {
  const wide = messages(3642);
  const narrowFirst = wide.with(0, { body: wide[0]!.body });
  const subject = new TestSubject('chunk-from-the-first-rows-width');
  expect(subject.bodiesById(await subject.sendBatch(narrowFirst)).at(-1)).toBeUndefined();
  expect(subject.lies).toBe(1);
  const honest = new TestSubject('chunk-from-the-first-rows-width');
  expect(honest.bodiesById(await honest.sendBatch(wide))).toHaveLength(3642);
  expect(honest.lies).toBe(0);
});

describe('texts of many bytes', () => {
  const wide = '\u65e5'.repeat(21_846);

  test('bytes-counted-as-characters cuts them off', async () => {
    const subject = new TestSubject('bytes-counted-as-characters');
    await subject.sendBatch([{ body: wide.slice(1) }, { body: { text: wide } }]);
    expect(subject.bodies()).toEqual([wide.slice(1), { text: wide.slice(1) }]);
    expect(subject.lies).toBe(1);
  });

  test('oversize-row-sent-alone stores the others and fails', async () => {
    const subject = new TestSubject('oversize-row-sent-alone');
    expect(await subject.sendBatch([...messages(1), { body: wide }])).toHaveProperty('threw');
    expect(subject.bodies()).toEqual(bodiesOf(0));
    expect(subject.lies).toBe(1);
  });
});
