import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactJson } from './exact-json.ts';

test('writes what JSON.stringify writes, for all that JSON can carry', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(JSON.parse(exactJson(value))).toStrictEqual(value);
    }),
  );
});

test.each([
  ['a lone surrogate', 'a\ud800b'],
  ['NUL', 'a\0b'],
  ['negative zero', -0],
  ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}')],
  ['2^53 - 1', 2 ** 53 - 1],
  ['the smallest number', 5e-324],
])('keeps %s', (_name, value) => {
  const read = JSON.parse(exactJson([value]))[0];
  expect(Object.is(read, value) || JSON.stringify(read) === JSON.stringify(value)).toBe(true);
  expect(read).toStrictEqual(value);
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const named = Object.assign([1], { extra: 2 });

test.each([
  ['undefined', undefined, 'undefined'],
  ['an undefined member', { a: { b: undefined } }, 'undefined at a.b'],
  ['a function', { f: () => 1 }, 'a function at f'],
  ['a symbol', [Symbol('s')], 'a symbol at 0'],
  ['a bigint', 1n, 'a bigint'],
  ['NaN', [1, Number.NaN], 'NaN at 1'],
  ['infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
  ['a cycle', cycle, 'an object inside itself at self'],
  ['a hole', new Array(2), 'an array with holes'],
  ['an array with names', named, 'an array with holes or names'],
  ['a Date', { at: new Date(0) }, 'a Date at at'],
  ['bytes', new Uint8Array(2), 'a Uint8Array'],
  ['a Map', new Map(), 'a Map'],
  ['a member named by a symbol', { [Symbol('s')]: 1 }, 'a member named by a symbol'],
  ['toJSON', { toJSON: () => 1 }, 'a function at toJSON'],
])('refuses %s and says where', (_name, value, message) => {
  expect(() => exactJson(value)).toThrow(message);
});

test('lets through what a getter throws, and reads it once', () => {
  let reads = 0;
  const body = {
    get text() {
      reads++;
      throw new Error('not readable');
    },
  };
  expect(() => exactJson(body)).toThrow('not readable');
  expect(reads).toBe(1);
});

test('an object may occur twice when it does not contain itself', () => {
  const shared = { a: 1 };
  expect(exactJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
});

test('says so when a value is nested too deeply', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 1_000_000; i++) deep = [deep];
  expect(() => exactJson(deep)).toThrow('nested too deeply');
});
