import { describe, expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';

const unreadable: Message = {
  body: {
    get a() {
      throw new Error('not readable');
    },
  },
};
const job: Message = { body: 'job', job: 'nightly' };

describe('skip-the-unreadable', () => {
  test('stores the others and fails that slot', async () => {
    const subject = new TestSubject('skip-the-unreadable');
    const came = await subject.sendBatch(messages(3).with(1, unreadable));
    expect(subject.bodies()).toEqual(bodiesOf(0, 2));
    expect(came).toMatchObject({ outcomes: [{ stored: 1n }, { failed: new Error('not readable') }, { stored: 2n }] });
    expect(subject.lies).toBe(1);
  });

  test('leaves one in the last place, and what cannot be stored for other reasons, to the backend', async () => {
    const subject = new TestSubject('skip-the-unreadable');
    expect(await subject.sendBatch([...messages(2), unreadable])).toHaveProperty('threw');
    expect(await subject.sendBatch([{ body: undefined }, ...messages(2)])).toHaveProperty('threw');
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(0);
  });
});

describe('bulk-accepts-what-single-refuses', () => {
  test('reports the code of the error as an id', async () => {
    const subject = new TestSubject('bulk-accepts-what-single-refuses');
    const came = await subject.sendBatch([...messages(1), { body: 'x', priority: Number.NaN }]);
    expect(came).toEqual({ outcomes: [{ stored: 1n }, { stored: '-1' }] });
    expect(subject.bodies()).toEqual(bodiesOf(0));
    expect(subject.lies).toBe(1);
  });

  test('refuses what is not offered', async () => {
    const subject = new TestSubject('bulk-accepts-what-single-refuses');
    expect(await subject.sendBatch([...messages(1), job])).toHaveProperty('threw');
    expect(subject.lies).toBe(0);
  });
});

describe('missing-namespace-is-empty-success', () => {
  test('reports nothing', async () => {
    const subject = new TestSubject('missing-namespace-is-empty-success');
    subject.wipe();
    expect(await subject.sendBatch(messages(2))).toEqual({ outcomes: [] });
    expect(subject.lies).toBe(1);
  });

  test('tells other failures as they are', async () => {
    const subject = new TestSubject('missing-namespace-is-empty-success');
    expect(await subject.sendBatch([unreadable])).toHaveProperty('threw');
    expect(subject.lies).toBe(0);
  });
});

describe('scheduled jobs', () => {
  test('job-in-last-place-is-sent', async () => {
    const subject = new TestSubject('job-in-last-place-is-sent');
    await subject.sendBatch([...messages(2), job]);
    expect(subject.bodies()).toEqual([...bodiesOf(0, 1), 'job']);
    expect(subject.lies).toBe(1);
  });

  test('job-in-last-place-is-sent refuses a job in any other place', async () => {
    const subject = new TestSubject('job-in-last-place-is-sent');
    for (const batch of [
      [job, ...messages(2)],
      [job, ...messages(1), job],
      [...messages(1), job],
    ]) {
      expect(await subject.sendBatch(batch)).toMatchObject({ threw: expect.stringContaining('job') });
    }
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(0);
  });

  test('job-refused-after-the-write', async () => {
    const subject = new TestSubject('job-refused-after-the-write');
    const came = await subject.sendBatch([...messages(1), job, ...messages(3).slice(2)]);
    expect(came).toMatchObject({ threw: expect.stringContaining('job') });
    expect(subject.bodies()).toEqual(bodiesOf(0, 2));
    expect(subject.lies).toBe(1);
  });
});

describe('the empty batch', () => {
  test('empty-batch-throws', async () => {
    const subject = new TestSubject('empty-batch-throws');
    expect(await subject.sendBatch([])).toHaveProperty('threw');
    expect(subject.lies).toBe(1);
  });

  test('empty-batch-never-settles', async () => {
    const subject = new TestSubject('empty-batch-never-settles');
    const others = new Promise((resolve) => setImmediate(() => resolve('still waiting')));
    expect(await Promise.race([subject.sendBatch([]), others])).toBe('still waiting');
    expect(subject.lies).toBe(1);
  });
});

test.each([
  'skip-the-unreadable',
  'bulk-accepts-what-single-refuses',
  'missing-namespace-is-empty-success',
  'job-in-last-place-is-sent',
  'job-refused-after-the-write',
  'empty-batch-throws',
  'empty-batch-never-settles',
])('%s keeps to the truth about an ordinary batch', async (mutant) => {
  const subject = new TestSubject(mutant);
  expect(subject.bodiesById(await subject.sendBatch(messages(3)))).toEqual(bodiesOf(0, 1, 2));
  expect(subject.lies).toBe(0);
});
