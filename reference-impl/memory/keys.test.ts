import { expect, test } from 'vitest';
import type { KeyDifference } from '../../index.ts';
import { type KeyRule, keyIdentity } from './keys.ts';

const key = (dedupeKey: string | null, destination: string | null = null) => ({ dedupeKey, destination });

test.each<[KeyDifference, ReturnType<typeof key>, ReturnType<typeof key>]>([
  ['case', key('Aé'), key('aÉ')],
  ['trailingSpace', key('a'), key('a  ')],
  ['normalForm', key('\u00e9'), key('e\u0301')],
  ['destination', key('a', 'orders'), key('a', 'letters')],
])('keys that differ by %s are equal where that is declared, and only there', (difference, one, other) => {
  const identities = (equal: KeyDifference[]) => [one, other].map((row) => keyIdentity(row, { policy: 'skip', equal }));
  const [first, second] = identities([difference]);
  expect(first).toBe(second);
  const others = (['case', 'trailingSpace', 'normalForm', 'destination'] as const).filter((d) => d !== difference);
  expect(new Set(identities(others)).size).toBe(2);
});

test('a key and a destination do not run together, and without a key there is none', () => {
  const rule: KeyRule = { policy: 'skip', equal: [] };
  expect(keyIdentity(key('a', 'b'), rule)).not.toBe(keyIdentity(key('a","b'), rule));
  expect(keyIdentity(key('a', null), rule)).not.toBe(keyIdentity(key('a', 'null'), rule));
  expect(keyIdentity(key(null), rule)).toBeUndefined();
});
