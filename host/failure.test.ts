import { expect, test } from 'vitest';
import { failureChain, failureMentions } from '../contracts/kernel/outcome.ts';
import { failureOf } from './failure.ts';

test('an error with what a backend says of it', () => {
  const error = Object.assign(new RangeError('too long'), { code: '22001', retryable: false, position: 3 });
  expect(failureOf(error)).toEqual({
    name: 'RangeError',
    message: 'too long',
    code: '22001',
    retryable: false,
    position: 3,
  });
});

test('fields of other types are left out, numbers of codes become text', () => {
  const error = Object.assign(new Error('x'), { code: 1062, retryable: 'yes', position: '3' });
  expect(failureOf(error)).toEqual({ name: 'Error', message: 'x', code: '1062' });
});

test('that the answer was lost is told by true alone', () => {
  expect(failureOf(Object.assign(new Error('x'), { unknown: true }))).toHaveProperty('unknown', true);
  expect(failureOf(Object.assign(new Error('x'), { unknown: 'yes' }))).not.toHaveProperty('unknown');
});

test("SQLite's own code comes before the code that all its errors share", () => {
  const error = Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 1811 });
  expect(failureOf(error).code).toBe('1811');
});

test('causes are a chain', () => {
  const failure = failureOf(new Error('outer', { cause: new TypeError('inner', { cause: 'text' }) }));
  expect(failureChain(failure).map((f) => `${f.name}: ${f.message}`)).toEqual([
    'Error: outer',
    'TypeError: inner',
    'string: text',
  ]);
});

test('the members of an AggregateError can be found through the chain', () => {
  const members = [new Error('first', { cause: new Error('root') }), new Error('second')];
  const failure = failureOf(new AggregateError(members, 'all failed', { cause: new Error('cause') }));
  expect(failureChain(failure).map((f) => f.message)).toEqual(['all failed', 'cause', 'first', 'root', 'second']);
  expect(failureMentions(failure, 'second')).toBe(true);
});

test.each<[unknown, string, string]>([
  ['plain text', 'string', 'plain text'],
  [undefined, 'undefined', 'undefined'],
  [null, 'null', 'null'],
  [7, 'number', '7'],
  [{ a: 1 }, 'Object', '{ a: 1 }'],
  [{ message: 'like an error', code: 'X' }, 'Object', 'like an error'],
  [new (class Refusal {})(), 'Refusal', 'Refusal {}'],
])('%o thrown', (thrown, name, message) => {
  expect(failureOf(thrown)).toMatchObject({ name, message });
});

test('a cyclic cause ends', () => {
  const a = new Error('a');
  const b = new Error('b', { cause: a });
  a.cause = b;
  expect(failureChain(failureOf(a)).map((f) => f.message)).toEqual(['a', 'b']);
});

test('an endless chain of causes is cut', () => {
  const endless = (n: number): object => ({
    message: `cause ${n}`,
    get cause() {
      return endless(n + 1);
    },
  });
  expect(failureChain(failureOf(endless(0)))).toHaveLength(20);
});

test('getters that throw read as absent', () => {
  const boom = {
    get: () => {
      throw new Error('boom');
    },
    enumerable: true,
  };
  const error = Object.defineProperties(new Error('kept'), { code: boom, cause: boom, name: boom, errors: boom });
  expect(failureOf(error)).toEqual({ name: 'Error', message: 'kept' });
});

test('a proxy that refuses everything is a failure still', () => {
  const refuse = () => {
    throw new Error('no');
  };
  const hostile = new Proxy(
    {},
    { get: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse, getPrototypeOf: refuse },
  );
  expect(failureOf(hostile).name).toBe('Object');
});
