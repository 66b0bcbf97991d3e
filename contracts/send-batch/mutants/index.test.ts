import { describe, expect, test } from 'vitest';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';
import { sendBatchMutants } from './index.ts';

describe('controls', () => {
  const controls = sendBatchMutants.filter((m) => m.control).map(({ id }) => id);
  test('there are two', () => expect(controls).toEqual(['pass-through', 'harmless-delay']));

  test.each(controls)('%s stores, reports and fails as the subject does', async (id) => {
    const subject = new TestSubject(id);
    expect(subject.bodiesById(await subject.sendBatch(messages(3)))).toEqual(bodiesOf(0, 1, 2));
    expect(await subject.port.send!(messages(4)[3]!, {})).toEqual({ stored: 4n });
    expect(await subject.sendBatch([{ body: undefined }])).toMatchObject({
      threw: expect.stringContaining('undefined'),
    });
    expect(subject.bodies()).toEqual(bodiesOf(0, 1, 2, 3));
    expect(subject.lies).toBe(0);
  });

  test.each(controls)('%s has the members that the subject has', (id) => {
    const control = sendBatchMutants.find((m) => m.id === id)!;
    const tools = {
      site: { provider: 'x', mode: 'x' },
      lied() {},
      hand: { snapshot() {}, restore() {}, edit() {} },
      later() {},
      atOpen() {},
      atClose() {},
    };
    expect(Object.keys(control.wrap({ sendBatch: () => [] }, tools) as object)).toEqual(['sendBatch']);
  });
});
