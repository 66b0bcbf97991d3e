import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Recipe, recipes } from '../contracts/kernel/recipe.ts';
import { decode, encode, Opaque, printInstead, type Wire } from './codec.ts';
import { makers } from './recipes.ts';

/** To the other side and back, as text, the way a pipe carries it. */
function travel(value: unknown): unknown {
  return decode(JSON.parse(JSON.stringify(encode(value))) as Wire);
}

const anyCodeUnits = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const keys = fc.oneof(fc.constantFrom('$', '__proto__', 'constructor', 'toJSON', ''), fc.string());
const values = fc.letrec((again) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(undefined, null, true, false, Number.NaN, Number.POSITIVE_INFINITY, -0, 0, 2 ** 53 + 2),
    fc.double(),
    fc.bigInt(),
    anyCodeUnits,
    fc.date({ noInvalidDate: false }),
    fc.uint8Array(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.array(again('value')),
    fc.sparseArray(again('value'), { maxLength: 5 }),
    fc.array(fc.tuple(keys, again('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
    fc.tuple(fc.constantFrom('undefined', 'same', 'object', 'recipe'), fc.nat()).map(([$, id]) => ({ $, id })),
  ),
})).value;

describe('codec', () => {
  test('every value of data arrives as it was', () => {
    // A failure prints the seed and the smallest value.
    fc.assert(
      fc.property(values, (value) => isDeepStrictEqual(travel(value), value)),
      { numRuns: 1000 },
    );
  });

  test('plain JSON is its own wire form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no negative zero, so that has a tag.
        const plain = JSON.parse(JSON.stringify(value));
        fc.pre(!JSON.stringify(plain).includes('"$"'));
        return isDeepStrictEqual(JSON.parse(JSON.stringify(encode(plain))), plain);
      }),
    );
  });

  test('lone surrogates survive', () => {
    expect(travel('a\ud800b\udc00')).toBe('a\ud800b\udc00');
  });

  test('a Buffer arrives as a Buffer, a Uint8Array as a Uint8Array', () => {
    const [buffer, bytes] = travel([Buffer.from('hi'), new Uint8Array([1, 2])]) as [unknown, Uint8Array];
    expect(Buffer.isBuffer(buffer)).toBe(true);
    expect(Buffer.isBuffer(bytes)).toBe(false);
    expect(bytes).toEqual(new Uint8Array([1, 2]));
  });

  test('a view of a larger buffer brings its own bytes only', () => {
    const whole = new Uint8Array([1, 2, 3, 4]);
    expect(travel(whole.subarray(1, 3))).toEqual(new Uint8Array([2, 3]));
  });

  test.each([
    ['an object', { a: 1 }],
    ['an array', [1]],
    ['bytes', new Uint8Array([1])],
    ['a date', new Date(5)],
  ])('%s at two positions is one object on the other side', (_, shared) => {
    const [first, second, other] = travel([shared, { deep: shared }, structuredClone(shared)]) as [
      unknown,
      { deep: unknown },
      unknown,
    ];
    expect(first).toEqual(shared);
    expect(second.deep).toBe(first);
    expect(other).not.toBe(first);
  });

  test('a cycle arrives as a cycle', () => {
    const cycle: { list: unknown[]; self?: unknown } = { list: [] };
    cycle.self = cycle;
    cycle.list.push(cycle.list);
    const arrived = travel(cycle) as typeof cycle;
    expect(arrived.self).toBe(arrived);
    expect(arrived.list[0]).toBe(arrived.list);
  });

  test.each(['$', '__proto__'])('an object with its own key %s keeps it', (key) => {
    const object = JSON.parse(`{"${key}":{"a":1},"b":2}`);
    expect(JSON.stringify(travel(object))).toBe(JSON.stringify(object));
    expect(Object.getPrototypeOf(travel(object))).toBe(Object.prototype);
  });

  test.each(recipes)('the recipe %s is a recipe without makers', (name) => {
    expect(travel({ body: new Recipe(name, 'token') })).toEqual({ body: new Recipe(name, 'token') });
  });

  test('what cannot travel is refused, with the way out', () => {
    expect(() => encode({ body: () => 1 })).toThrow(/cannot travel.*Recipe/);
    expect(() => encode(Symbol('s'))).toThrow(TypeError);
    expect(() => encode(new Map())).toThrow(TypeError);
  });

  test('or printed instead', () => {
    const wire = encode({ f: function name() {}, m: new Map([[1, 2]]), e: new Error('no') }, printInstead);
    const { f, m, e } = decode(wire) as Record<string, Opaque>;
    expect([f, m, e].every((o) => o instanceof Opaque)).toBe(true);
    expect(f!.text).toContain('name');
    expect(m!.text).toContain('Map');
    expect(e!.text).toContain('no');
  });

  test('a getter that throws does not stop the rest', () => {
    const value = { before: 1, ...{}, after: 2 };
    Object.defineProperty(value, 'broken', {
      enumerable: true,
      get: () => {
        throw new Error('boom');
      },
    });
    const arrived = decode(encode(value, printInstead)) as Record<string, unknown>;
    expect(arrived).toMatchObject({ before: 1, after: 2 });
    expect((arrived.broken as Opaque).text).toContain('boom');
    expect(() => encode(value)).toThrow(/cannot travel/);
  });

  test.each<[string, Wire]>([
    ['unknown tag', { $: 'surprise' }],
    ['unknown recipe', { $: 'recipe', name: 'constructor', token: '' }],
    ['reference to nothing', { $: 'same', id: 4 }],
  ])('a wire with an %s is refused', (_, wire) => {
    expect(() => decode(wire, makers)).toThrow(TypeError);
  });
});

describe('recipes', () => {
  const make = (name: (typeof recipes)[number]) => decode(encode(new Recipe(name, 'tok-1')), makers);

  test('cycle', () => {
    const made = make('cycle') as { self: unknown; token: string };
    expect(made.self).toBe(made);
    expect(made.token).toBe('tok-1');
  });
  test('throwing-getter', () => {
    const made = make('throwing-getter') as { broken: unknown; token: string };
    expect(made.token).toBe('tok-1');
    expect(() => made.broken).toThrow('this getter always throws (tok-1)');
    expect(() => JSON.stringify(made)).toThrow('this getter always throws (tok-1)');
  });
  test('throwing-to-json', () => {
    const made = make('throwing-to-json') as { token: string };
    expect(made.token).toBe('tok-1');
    expect(() => JSON.stringify(made)).toThrow('this toJSON always throws (tok-1)');
  });
  test('bigint', () => expect(typeof make('bigint')).toBe('bigint'));
  test('sparse', () => {
    const made = make('sparse') as unknown[];
    expect(made[0]).toBe('tok-1');
    expect(made).toHaveLength(3);
    expect(1 in made).toBe(false);
  });
  test('function', () => {
    const made = make('function') as () => unknown;
    expect(made.name).toBe('tok-1');
    expect(made()).toBe('tok-1');
  });
  test('symbol', () => expect((make('symbol') as symbol).description).toBe('tok-1'));

  test('one recipe at two positions makes one value', () => {
    const recipe = new Recipe('cycle');
    const [a, b, c] = decode(encode([recipe, recipe, new Recipe('cycle')]), makers) as unknown[];
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});
