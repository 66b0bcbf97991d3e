import { expect, test } from 'vitest';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

test('batch-leaves-a-default-null changes a column that no message speaks of', async () => {
  const subject = new TestSubject('batch-leaves-a-default-null');
  await subject.port.send!(messages(1)[0]!, {});
  await subject.sendBatch(messages(3));
  // The column may not be null, so another value stands for it.
  expect(subject.stored().map(({ attempts }) => attempts)).toEqual([0, 1, 1, 1]);
  expect(subject.lies).toBe(1);
  const others = subject.stored().map(({ attempts: _a, createdAt: _c, dueAt: _d, expiresAt: _e, ...row }) => row);
  const honest = new TestSubject();
  await honest.port.send!(messages(1)[0]!, {});
  await honest.sendBatch(messages(3));
  expect(others).toEqual(
    honest.stored().map(({ attempts: _a, createdAt: _c, dueAt: _d, expiresAt: _e, ...row }) => row),
  );
});

test('batch-leaves-a-default-null tells no lie of a batch that is refused, nor of a single message', async () => {
  const subject = new TestSubject('batch-leaves-a-default-null');
  await subject.sendBatch([{ body: undefined }, { body: 1 }]);
  await subject.sendBatch(messages(1));
  expect(subject.stored().map(({ attempts }) => attempts)).toEqual([0]);
  expect(subject.lies).toBe(0);
});
