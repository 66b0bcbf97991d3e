import { expect, test } from 'vitest';
import { Buffer } from './buffer.ts';

/** A buffer whose writes end when the test says so. */
function controlled() {
  const writes: { items: readonly number[]; end: PromiseWithResolvers<string[]> }[] = [];
  const buffer = new Buffer<number, string>((items) => {
    const end = Promise.withResolvers<string[]>();
    writes.push({ items, end });
    return end.promise;
  });
  return { buffer, writes };
}

test('a flush stores what was accepted before it; what is accepted meanwhile waits for the next', async () => {
  const { buffer, writes } = controlled();
  buffer.accept([1, 2]);
  buffer.accept([3]);
  const flushed = buffer.flush();
  buffer.accept([4]);
  writes[0]!.end.resolve(['one', 'two', 'three']);
  expect(await flushed).toEqual(['one', 'two', 'three']);
  const again = buffer.flush();
  writes[1]!.end.resolve(['four']);
  expect(await again).toEqual(['four']);
  expect(writes.map(({ items }) => items)).toEqual([[1, 2, 3], [4]]);
});

test('what could not be stored is told, kept, and goes in front of what was accepted meanwhile', async () => {
  const { buffer, writes } = controlled();
  buffer.accept([1]);
  const flushed = buffer.flush();
  buffer.accept([2]);
  writes[0]!.end.reject(new Error('refused'));
  await expect(flushed).rejects.toThrow('refused');
  void buffer.flush();
  expect(writes[1]!.items).toEqual([1, 2]);
});

test('a flush waits for the one before it, so that nothing is stored twice or out of order', async () => {
  const { buffer, writes } = controlled();
  buffer.accept([1]);
  const first = buffer.flush();
  buffer.accept([2]);
  const second = buffer.flush();
  expect(writes).toHaveLength(1);
  writes[0]!.end.reject(new Error('refused'));
  await expect(first).rejects.toThrow('refused');
  await expect.poll(() => writes.length).toBe(2);
  writes[1]!.end.resolve(['one', 'two']);
  expect(await second).toEqual(['one', 'two']);
  expect(writes[1]!.items).toEqual([1, 2]);
});

test('an empty buffer writes nothing', async () => {
  const { buffer, writes } = controlled();
  expect(await buffer.flush()).toEqual([]);
  expect(writes).toEqual([]);
});
