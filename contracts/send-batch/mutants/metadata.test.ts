import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message } from '../port.ts';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

const now = 1_700_000_000_000;
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => void vi.restoreAllMocks());

const last = 9;
const { delay, expiration } = messages(10)[last] as Required<Message>;

const lies: [mutant: string, changed: Record<string, unknown>][] = [
  ['drops-destination', { destination: null }],
  ['drops-delay', { dueAt: null }],
  ['drops-expiration', { expiresAt: null }],
  ['drops-priority', { priority: null }],
  ['drops-route', { route: null }],
  ['drops-correlationId', { correlationId: null }],
  ['drops-headers', { headers: null }],
  ['delay-and-expiration-swapped', { dueAt: now + expiration, expiresAt: now + delay }],
  [
    'first-messages-options-for-all',
    {
      dueAt: now + 1000,
      expiresAt: now + 1_000_000,
      priority: 1,
      route: 'route-0',
      correlationId: 'correlation-0',
      headers: '{"first":"first-0","second":"second-0"}',
    },
  ],
  ['header-values-shifted', { headers: '{"first":"second-9","second":"first-9"}' }],
];

test.each(lies)(
  '%s changes the ninth message and those after it, in the batch as on the single path',
  async (mutant, changed) => {
    const honest = new TestSubject();
    await honest.sendBatch(messages(10));
    const expected = honest.stored();
    const together = new TestSubject(mutant);
    await together.sendBatch(messages(10));
    expect(together.stored()[last]).toEqual({ ...expected[last], ...changed });
    expect(together.stored().slice(0, 8)).toEqual(expected.slice(0, 8));
    expect(together.lies).toBe(2);

    const apart = new TestSubject(mutant);
    for (const message of messages(10)) await apart.port.send!(message, {});
    expect(apart.stored()).toEqual(together.stored());
  },
);

test.each(lies)('%s keeps to the truth about small and mixed batches, and after a failure', async (mutant) => {
  const mixed = messages(20).map(({ priority: _replaced, ...message }, i) =>
    i % 2 ? message : { ...message, priority: i },
  );
  const batches = [messages(8), messages(8), mixed];
  const honest = new TestSubject();
  const subject = new TestSubject(mutant);
  for (const batch of batches) {
    await honest.sendBatch(batch);
    await subject.sendBatch(batch);
  }
  expect(subject.stored()).toEqual(honest.stored());
  expect(subject.lies).toBe(0);

  await subject.sendBatch([{ body: undefined }]);
  await subject.sendBatch(messages(12));
  await honest.sendBatch(messages(12));
  expect(subject.stored()).toEqual(honest.stored());
  expect(subject.lies).toBe(0);
});
