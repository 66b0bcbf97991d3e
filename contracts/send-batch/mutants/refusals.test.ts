import { describe, expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';
import { behind } from './fixtures/stub.ts';

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

describe('what a batch is refused for', () => {
  test('invalid-is-filtered stores the others', async () => {
    const subject = new TestSubject('invalid-is-filtered');
    const invalid = { ...messages(1)[0]!, priority: 'high' as unknown as number };
    const came = await subject.sendBatch(messages(3).with(1, invalid));
    expect(came).toMatchObject({ outcomes: [{ stored: 1n }, { failed: expect.any(Error) }, { stored: 2n }] });
    expect(subject.bodies()).toEqual(bodiesOf(0, 2));
    expect(subject.lies).toBe(1);
  });

  test('option-silently-ignored drops it from the last message only', async () => {
    const subject = new TestSubject('option-silently-ignored');
    const columns = { tenant: 'a' };
    const last = messages(4).map((message, slot) => (slot === 3 ? { ...message, columns } : message));
    expect(await subject.sendBatch(last)).toHaveProperty('outcomes');
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2, 3));
    expect(await subject.sendBatch(last.toReversed())).toHaveProperty('threw');
    expect(await subject.sendBatch(messages(4).with(3, { ...job }))).toHaveProperty('threw');
    expect(subject.lies).toBe(1);
  });

  test('call-option-silently-ignored stores the batch without it', async () => {
    const subject = new TestSubject('call-option-silently-ignored');
    expect(await subject.sendBatch(messages(2), { chunkSize: 1 })).toHaveProperty('outcomes');
    expect(await subject.sendBatch([unreadable], {})).toHaveProperty('threw');
    expect(subject.lies).toBe(1);
  });

  test('unknown-destination-joined-away drops the odd one', async () => {
    const known = (batch: readonly Message[]) => {
      if (batch.some(({ destination }) => destination === 'nowhere')) throw new TypeError('no such destination');
      return batch.map((_, i) => ({ stored: i }));
    };
    const spoiled = behind('unknown-destination-joined-away', known);
    const batch = messages(6).with(2, { body: 1, destination: 'nowhere' });
    const others = batch.map(({ destination, ...message }) => ({
      ...message,
      destination: destination === 'nowhere' ? destination : 'orders',
    }));
    const stored = [0, 1, null, 2, 3, 4].map((id) => ({ stored: id }));
    expect(await spoiled.send(others)).toEqual(stored);
    expect(spoiled.counted.lies).toBe(1);
  });

  test('job-registered-twice sends the job once more', async () => {
    const sent: (readonly Message[])[] = [];
    const spoiled = behind('job-registered-twice', (batch) => {
      sent.push(batch);
      return batch.map((_, i) => ({ stored: i }));
    });
    await spoiled.send([...messages(3), job]);
    expect(sent.slice(1)).toEqual([[{ body: null, job: 'nightly' }]]);
    await spoiled.send(messages(4));
    expect(sent).toHaveLength(3);
    expect(spoiled.counted.lies).toBe(1);
  });

  test('begin-for-nothing begins for an empty batch, and for no other', async () => {
    const subject = new TestSubject('begin-for-nothing');
    expect(await subject.sendBatch([])).toEqual({ outcomes: [] });
    expect(subject.lies).toBe(1);
    await subject.sendBatch(messages(1));
    expect(subject.lies).toBe(1);
  });
});

test.each([
  'invalid-is-filtered',
  'option-silently-ignored',
  'call-option-silently-ignored',
  'unknown-destination-joined-away',
  'job-registered-twice',
  'begin-for-nothing',
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
