import { expect, it } from 'vitest';
import { Spread, spreadOverRows } from './spread.ts';

function taken(spread: Spread, length: number): number[] {
  return Array.from({ length }, (_, i) => i + 1).filter(() => spread.take());
}

it('takes the first ones all, then ever sparser', () => {
  const rows = taken(new Spread(4, 2), 100);
  expect(rows).toEqual([1, 2, 3, 4, 10, 22, 46, 94]);
});

it('stops at the most', () => {
  expect(taken(new Spread(100, 2, 7), 100)).toHaveLength(7);
});

it.each([1, 500, 5000, 100_000])('looks at a few dozen of %i rows, to the last third', (length) => {
  const rows = taken(spreadOverRows(), length);
  expect(rows.length).toBeLessThanOrEqual(40);
  expect(rows.length).toBeGreaterThanOrEqual(Math.min(length, 15));
  expect(rows.at(-1)).toBeGreaterThan(length / 3);
});
