import { Recipe, type RecipeName, recipes } from '../contracts/kernel/recipe.ts';
import { print } from './print.ts';

/** A value as it crosses threads and pipes: JSON, with tagged objects for what JSON cannot say. */
export type Wire = null | boolean | number | string | Wire[] | { [key: string]: Wire };

/** An object with this key is a tagged one; an object of the caller's that has it travels as `{ $: 'object' }`. */
export const tagKey = '$';

/** The tagged objects, by their tag. `docs/protocol.md` describes them for programs in other languages. */
export type Tagged =
  | { $: 'undefined' }
  /** A place in an array that holds nothing. */
  | { $: 'hole' }
  | { $: 'number'; text: 'NaN' | 'Infinity' | '-Infinity' | '-0' }
  | { $: 'bigint'; text: string }
  | { $: 'bytes'; type: 'Uint8Array' | 'Buffer'; base64: string }
  /** Milliseconds since the epoch; null for an invalid date. */
  | { $: 'date'; ms: number | null }
  | { $: 'recipe'; name: RecipeName; token: string }
  /** An object whose own keys could be mistaken for a tag. */
  | { $: 'object'; entries: [string, Wire][] }
  /** An object that is met again as `{ $: 'same' }`, inside itself or later. */
  | { $: 'shared'; id: number; value: Wire }
  | { $: 'same'; id: number }
  /** What cannot travel and was printed instead: a function, a symbol, a Map. Only from a host to the judge. */
  | { $: 'opaque'; text: string };

/** What is left in the judge of a value that could not leave the subject's host. */
export class Opaque {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** How a host makes the real value of a recipe. */
export type Makers = Record<RecipeName, (token: string) => unknown>;

/** What `encode` does with a value that cannot travel. */
export type CannotTravel = (value: unknown) => Wire;

/** Refuses what cannot travel: right for the judge, whose arguments are data. */
function refuseToTravel(value: unknown): never {
  throw new TypeError(`${print(value)} cannot travel to a host as data; use a Recipe where a guard needs such a value`);
}

/** Prints what cannot travel: right for a host, whose subject may return anything. */
export function printInstead(value: unknown): Wire {
  return { $: 'opaque', text: print(value) };
}

/**
 * Turns a value into its wire form.
 *
 * Objects keep their own enumerable text keys and lose their class. An object that is reached twice is one object on
 * the other side, too.
 */
export function encode(value: unknown, cannotTravel: CannotTravel = refuseToTravel): Wire {
  const repeated = repeatedObjects(value);
  const numbers = new Map<object, number>();

  const write = (v: unknown): Wire => {
    if (typeof v === 'string' || typeof v === 'boolean' || v === null) return v;
    if (typeof v === 'number') return writeNumber(v);
    if (v === undefined) return { $: 'undefined' };
    if (typeof v === 'bigint') return { $: 'bigint', text: String(v) };
    if (typeof v !== 'object') return cannotTravel(v);
    if (!repeated.has(v)) return writeObject(v);
    const known = numbers.get(v);
    if (known !== undefined) return { $: 'same', id: known };
    const id = numbers.size;
    numbers.set(v, id);
    return { $: 'shared', id, value: writeObject(v) };
  };

  const writeObject = (v: object): Wire => {
    if (Array.isArray(v)) return writeArray(v);
    if (v instanceof Uint8Array) return writeBytes(v);
    if (v instanceof Date) return { $: 'date', ms: Number.isNaN(v.getTime()) ? null : v.getTime() };
    if (v instanceof Recipe) return { $: 'recipe', name: v.name, token: v.token };
    if (v instanceof Opaque) return { $: 'opaque', text: v.text };
    if (!isRecord(v)) return cannotTravel(v);
    if (Object.hasOwn(v, tagKey)) return { $: 'object', entries: Object.entries(writeRecord(v)) };
    return writeRecord(v);
  };

  const writeArray = (v: readonly unknown[]): Wire[] => {
    const written: Wire[] = [];
    // An index loop, since iterating would hide the holes.
    for (let i = 0; i < v.length; i++) written.push(i in v ? write(v[i]) : { $: 'hole' });
    return written;
  };

  const writeRecord = (v: object): { [key: string]: Wire } => {
    const written = {};
    for (const key of Object.keys(v)) setOwn(written, key, write(readOr(v, key, cannotTravel)));
    return written;
  };

  return write(value);
}

/** Makes the value that `encode` wrote. Without `makers`, recipes stay recipes. */
export function decode(wire: Wire, makers?: Makers): unknown {
  const shared = new Map<number, unknown>();

  /** `known` hears of a container before its content is read, since the content may refer to it. */
  const read = (w: Wire, known?: (made: unknown) => void): unknown => {
    if (typeof w !== 'object' || w === null) return w;
    if (Array.isArray(w)) {
      const array: unknown[] = [];
      known?.(array);
      array.length = w.length;
      for (let i = 0; i < w.length; i++) if (!isTagged(w[i]!, 'hole')) array[i] = read(w[i]!);
      return array;
    }
    if (!Object.hasOwn(w, tagKey)) {
      const object = {};
      known?.(object);
      for (const key of Object.keys(w)) setOwn(object, key, read((w as { [key: string]: Wire })[key]!));
      return object;
    }
    const tagged = w as unknown as Tagged;
    switch (tagged.$) {
      case 'object':
        return readEntries(tagged.entries, known);
      case 'shared': {
        const keep = (made: unknown) => shared.set(tagged.id, made);
        const made = read(tagged.value, keep);
        keep(made);
        return made;
      }
      case 'same':
        if (!shared.has(tagged.id)) throw new TypeError(`object ${tagged.id} is referred to before it was sent`);
        return shared.get(tagged.id);
      default:
        return readLeaf(tagged, makers);
    }
  };

  const readEntries = (entries: readonly [string, Wire][], known?: (made: unknown) => void): object => {
    const object = {};
    known?.(object);
    for (const [key, item] of entries) setOwn(object, key, read(item));
    return object;
  };

  return read(wire);
}

type Leaf = Exclude<Tagged, { $: 'object' | 'shared' | 'same' }>;

function readLeaf(tagged: Leaf, makers: Makers | undefined): unknown {
  switch (tagged.$) {
    case 'undefined':
    case 'hole':
      return undefined;
    case 'number':
      return Number(tagged.text);
    case 'bigint':
      return BigInt(tagged.text);
    case 'bytes': {
      const bytes = Buffer.from(tagged.base64, 'base64');
      return tagged.type === 'Buffer' ? bytes : new Uint8Array(bytes);
    }
    case 'date':
      return new Date(tagged.ms ?? Number.NaN);
    case 'recipe':
      if (!recipes.includes(tagged.name)) throw new TypeError(`unknown recipe ${print(tagged.name)}`);
      return makers ? makers[tagged.name](tagged.token) : new Recipe(tagged.name, tagged.token);
    case 'opaque':
      return new Opaque(tagged.text);
    default:
      throw new TypeError(`unknown tag in ${print(tagged)}`);
  }
}

function writeNumber(n: number): Wire {
  if (Object.is(n, -0)) return { $: 'number', text: '-0' };
  return Number.isFinite(n) ? n : { $: 'number', text: String(n) };
}

function writeBytes(bytes: Uint8Array): Wire {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { $: 'bytes', type: Buffer.isBuffer(bytes) ? 'Buffer' : 'Uint8Array', base64 };
}

/** Whether an object is a bag of keys, unlike a Map, an Error, a Promise, or an AbortSignal. */
function isRecord(v: object): boolean {
  // Nearly all are plain, and the rest of the question is slow.
  if (Object.getPrototypeOf(v) === Object.prototype && !(Symbol.toStringTag in v)) return true;
  return Object.prototype.toString.call(v) === '[object Object]';
}

function isTagged(w: Wire, tag: Tagged['$']): boolean {
  return typeof w === 'object' && w !== null && !Array.isArray(w) && w[tagKey] === tag;
}

/** Assignment would take the key `__proto__` for the prototype. */
function setOwn(object: object, key: string, value: unknown): void {
  if (key !== '__proto__') (object as Record<string, unknown>)[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Reads a property; a getter that throws makes it a value that cannot travel. */
function readOr(object: object, key: string, cannotTravel: CannotTravel): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch (error) {
    cannotTravel(object);
    return new Opaque(`getter that throws ${print(error)}`);
  }
}

/** The objects that are reached more than once, cycles included. */
function repeatedObjects(root: unknown): Set<object> {
  const seen = new Set<object>();
  const repeated = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const v = open.pop();
    if (typeof v !== 'object' || v === null) continue;
    if (seen.has(v)) {
      repeated.add(v);
      continue;
    }
    seen.add(v);
    if (Array.isArray(v)) {
      for (const item of v) open.push(item);
    } else if (!(v instanceof Uint8Array) && isRecord(v)) {
      for (const key of Object.keys(v)) open.push(readOr(v, key, () => null));
    }
  }
  return repeated;
}
