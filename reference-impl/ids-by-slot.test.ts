import { expect, test } from 'vitest';
import { idsBySlot } from './ids-by-slot.ts';

test('orders ids by their slots, in whatever order they were returned', () => {
  const returned = [
    { id: 12n, slot: 1n },
    { id: 11n, slot: 2n },
    { id: 13n, slot: 0n },
  ];
  expect(idsBySlot(returned, 3)).toEqual([13n, 12n, 11n]);
});

test('refuses to guess an id that was not returned', () => {
  expect(() => idsBySlot([{ id: 1n, slot: 0n }], 2)).toThrow('no id for message 1');
});
