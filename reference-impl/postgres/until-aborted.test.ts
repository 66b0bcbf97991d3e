import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const never = new Promise<number>(() => {});

test('is the promise, with a signal and without', async () => {
  expect(await untilAborted(Promise.resolve(1), undefined)).toBe(1);
  expect(await untilAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error('x')), new AbortController().signal)).rejects.toThrow('x');
});

test('throws the reason of a signal that aborts, or has aborted', async () => {
  const controller = new AbortController();
  const waiting = untilAborted(never, controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  await expect(untilAborted(never, controller.signal)).rejects.toBe('enough');
});
