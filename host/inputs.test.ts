import { describe, expect, test } from 'vitest';
import { firstChange, freezeDeep, scramble } from './inputs.ts';
import { makers } from './recipes.ts';

describe('freezeDeep', () => {
  test('freezes objects, arrays and dates at every depth, and leaves bytes', () => {
    const value = { list: [{ at: new Date(0) }], bytes: new Uint8Array([1]) };
    freezeDeep([value]);
    for (const part of [value, value.list, value.list[0]!, value.list[0]!.at]) expect(Object.isFrozen(part)).toBe(true);
    value.bytes[0] = 2;
    expect(value.bytes[0]).toBe(2);
  });

  test('runs no getter and ends on cycles', () => {
    const cycle = makers.cycle('t') as { self: object };
    const getter = makers['throwing-getter']('t');
    freezeDeep([cycle, getter]);
    expect(Object.isFrozen(cycle.self) && Object.isFrozen(getter)).toBe(true);
  });

  test('leaves what is no data', () => {
    const options = { signal: new AbortController().signal };
    freezeDeep(options);
    expect(Object.isFrozen(options)).toBe(true);
    expect(Object.isFrozen(options.signal)).toBe(false);
  });
});

describe('scramble', () => {
  test('overwrites every value and keeps the length of arrays', () => {
    const { signal } = new AbortController();
    const bytes = new Uint8Array([1, 2]);
    const at = new Date(7);
    const messages = [{ body: { text: 'a', n: 1, flag: true, big: 1n, none: null, bytes, at }, list: ['x', 2, ['y']] }];
    const options = { signal };
    scramble([messages, options]);
    expect(messages).toHaveLength(1);
    expect(messages[0]!.body).toEqual({
      text: 'scrambled',
      n: 987654321,
      flag: false,
      big: 2n,
      none: 'scrambled',
      bytes: new Uint8Array([0xaa, 0xaa]),
      at: new Date(0),
    });
    expect(messages[0]!.list).toEqual(['scrambled', 987654321, ['scrambled']]);
    expect(options.signal).toBe(signal);
  });

  test('leaves frozen objects, but not the bytes inside them', () => {
    const frozen = Object.freeze({ text: 'a', bytes: new Uint8Array([1]) });
    scramble(frozen);
    expect(frozen).toEqual({ text: 'a', bytes: new Uint8Array([0xaa]) });
  });

  test('ends on cycles and runs no getter', () => {
    const cycle = makers.cycle('t') as { token: string };
    scramble([cycle, makers['throwing-getter']('t')]);
    expect(cycle.token).toBe('scrambled');
  });
});

describe('firstChange', () => {
  const make = () => [
    { body: { a: 1, bytes: new Uint8Array([1]), at: new Date(1) }, headers: { 'x-y': 'z' } },
    { body: makers['throwing-getter']('t'), odd: [makers.cycle('t'), makers.symbol('t'), makers.function('t')] },
  ];
  type Messages = [{ body: Record<string, unknown>; headers?: Record<string, unknown> }, Record<string, unknown>];

  test('finds nothing where nothing changed', () => {
    expect(firstChange(make(), make(), 'messages')).toBeUndefined();
    const frozen = make();
    freezeDeep(frozen);
    expect(firstChange(make(), frozen, 'messages')).toBeUndefined();
  });

  test.each<[string, (messages: Messages) => unknown]>([
    ['messages[0].body.a changed', ([m]) => Object.assign(m.body, { a: 2 })],
    ['messages[0].body.bytes changed', ([m]) => (m.body.bytes as Uint8Array).fill(9)],
    ['messages[0].body.at changed', ([m]) => (m.body.at as Date).setTime(2)],
    ['messages[0].headers was removed', ([m]) => delete m.headers],
    ['messages[0].headers["x-y"] changed', ([m]) => Object.assign(m.headers!, { 'x-y': undefined })],
    ['messages[1].id was added', ([, m]) => Object.assign(m, { id: undefined })],
    ['messages[1].body changed', ([, m]) => Object.assign(m, { body: JSON.stringify({}) })],
    ['messages[1].odd[0].token changed', ([, m]) => Object.assign((m.odd as object[])[0]!, { token: 'u' })],
    ['messages[0]', (messages) => messages.reverse()],
    ['messages[1] was removed', (messages) => messages.pop()],
    ['messages.length changed', (messages) => Object.assign(messages, { length: 5 })],
    ['messages[2] was added', (messages) => (messages as unknown[]).push(1)],
  ])('%s', (words, change) => {
    const after = make();
    change(after as unknown as Messages);
    expect(firstChange(make(), after, 'messages')).toContain(words);
  });
});
