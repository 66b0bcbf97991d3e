import { expect, test } from 'vitest';
import { isoText, jsonRows, microseconds } from './instants.ts';

test.each([
  ['2031-03-03T04:05:00Z', 1_930_277_100_000_000n, '2031-03-03T04:05:00.000000Z'],
  ['2031-03-03T09:35:00.1+05:30', 1_930_277_100_100_000n, '2031-03-03T04:05:00.100000Z'],
  ['2031-03-03T04:05:00.1234569Z', 1_930_277_100_123_456n, '2031-03-03T04:05:00.123456Z'],
  ['1969-12-31T23:59:59.999999Z', -1n, '1969-12-31T23:59:59.999999Z'],
  ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n, '9999-12-31T23:59:59.999999Z'],
])('%s is %i microseconds', (at, expected, text) => {
  expect(microseconds(at)).toBe(expected);
  expect(isoText(expected)).toBe(text);
});

test('integers above 2^53 travel whole', () => {
  expect(jsonRows([[253_402_300_799_999_999n, null, 1]])).toBe('[["253402300799999999",null,1]]');
});
