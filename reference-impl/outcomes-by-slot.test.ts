import { expect, test } from 'vitest';
import { outcomesBySlot } from './outcomes-by-slot.ts';

test('orders ids by their slots, in whatever order they were returned', () => {
  const answers = [
    { id: 12n, slot: 1n },
    { id: 11n, slot: 2n, duplicate: true },
    { id: 13n, slot: 0n },
  ];
  expect(outcomesBySlot(answers, 3)).toEqual([{ stored: 13n }, { stored: 12n }, { duplicate: 11n }]);
});

test('says of a duplicate when the row that holds its key has another content', () => {
  const answers = [
    { id: 1n, slot: 0, duplicate: true, differs: true },
    { id: 1n, slot: 1, duplicate: true, differs: false },
  ];
  expect(outcomesBySlot(answers, 2)).toEqual([{ duplicate: 1n, differs: true }, { duplicate: 1n }]);
});

test('refuses to guess an id that was not returned', () => {
  expect(() => outcomesBySlot([{ id: 1n, slot: 0n }], 2)).toThrow('no id for message 1');
});
