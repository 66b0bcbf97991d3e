import { describe, expect, test } from 'vitest';
import { floored, givenInstant, instantText, parsedInstant, shownInstant } from './instants.ts';

describe('text', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00Z', 0n],
    ['1970-01-02T00:00:01Z', 86_401_000_000n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['2000-03-01T00:00:00Z', 951_868_800_000_000n],
    ['2000-02-29T00:00:00.5Z', 951_782_400_500_000n],
    ['1970-01-01T02:00:00+02:00', 0n],
    ['1970-01-01 02:00:00+02', 0n],
    ['1969-12-31T20:30:00-0330', 0n],
    ['1970-01-01T00:00:00.000001Z', 1n],
    ['1970-01-01T00:00:00.000001999Z', 1n],
    ['1970-01-01T00:00:00.123456789Z', 123_456n],
  ])('%s', (text, expected) => expect(parsedInstant(text)).toBe(expected));

  test.each([
    '1970-01-01T00:00:00',
    '1970-01-01',
    '1970-02-30T00:00:00Z',
    '1970-13-01T00:00:00Z',
    '1970-01-01T24:00:00Z',
    '1970-01-01T00:60:00Z',
    'soon',
    '',
  ])('%j is none', (text) => expect(parsedInstant(text)).toBeUndefined());

  test('of a caller is an instant', () => {
    expect(givenInstant('1970-01-01T00:00:00.0019Z', 1)).toBe(1000n);
    expect(() => givenInstant('soon', 1)).toThrow('soon is no instant with an offset');
  });
});

test.each([
  ['1970-01-01 00:00:00.001234+00', 1000n],
  [1.5, 1000n],
  [2, 2000n],
  [3n, 3000n],
  [new Date(4), 4000n],
  ['soon', undefined],
  [null, undefined],
  [undefined, undefined],
  [new Date(Number.NaN), undefined],
  [Number.NaN, undefined],
])('a probe shows %s', (value, expected) => expect(shownInstant(value, 1)).toBe(expected));

test.each([
  [1_234_567n, 0.001, 1_234_567n],
  [1_234_567n, 0.01, 1_234_560n],
  [1_234_567n, 1, 1_234_000n],
  [1_234_567n, 1000, 1_000_000n],
  [-1n, 1, -1000n],
  [-2000n, 1, -2000n],
])('%s at %s ms is %s', (instant, resolution, expected) => expect(floored(instant, resolution)).toBe(expected));

test('is shown as text with as many digits as it needs', () => {
  expect(instantText(1_930_277_100_000_000n)).toBe('2031-03-03T04:05:00.000Z');
  expect(instantText(1_930_277_100_000_007n)).toBe('2031-03-03T04:05:00.000007Z');
  expect(instantText(-1n)).toBe('1969-12-31T23:59:59.999999Z');
});
