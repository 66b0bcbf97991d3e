/** Freezes arrays, dates and plain objects deeply; bytes cannot be frozen and stay as they are. Runs no getter. */
export function freezeDeep(value: unknown): void {
  walk(value, (object) => {
    if (!(object instanceof Uint8Array)) Object.freeze(object);
  });
}

/**
 * Overwrites what a caller could overwrite: every byte, every date, and every value of every array and plain object,
 * unless it is frozen. Arrays keep their length.
 */
export function scramble(value: unknown): void {
  walk(value, (object) => {
    if (object instanceof Uint8Array) {
      object.fill(0xaa);
      return;
    }
    if (object instanceof Date) object.setTime(0);
    for (const [key, { value: old, writable }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (!writable || key === 'length' || isContainer(old) || isForeign(old)) continue;
      (object as Record<string, unknown>)[key] = scrambled(old);
    }
  });
}

function scrambled(old: unknown): unknown {
  if (typeof old === 'number') return old === 987654321 ? 123456789 : 987654321;
  if (typeof old === 'bigint') return old + 1n;
  if (typeof old === 'boolean') return !old;
  return 'scrambled';
}

/**
 * Says in words the first difference between what a caller handed over and what it finds there afterwards, or
 * undefined. `name` is what the value is called, as in `messages[3].headers changed`.
 */
export function firstChange(before: unknown, after: unknown, name: string): string | undefined {
  const compared = new Set<object>();

  /** The rest of the sentence, from the place of these two values on. */
  const compare = (was: unknown, is: unknown): string | undefined => {
    if (!isContainer(was) || !isContainer(is)) return sameLeaf(was, is) ? undefined : ' changed';
    if (compared.has(was)) return undefined;
    compared.add(was);
    if (Object.getPrototypeOf(was) !== Object.getPrototypeOf(is)) return ' changed';
    if (was instanceof Uint8Array) return Buffer.compare(was, is as Uint8Array) === 0 ? undefined : ' changed';
    if (was instanceof Date && !Object.is(was.getTime(), (is as Date).getTime())) return ' changed';
    for (const key of keysOfBoth(was, is)) {
      const change = compareProperty(was, is, key);
      if (change) return step(was, key) + change;
    }
    return undefined;
  };

  const compareProperty = (was: object, is: object, key: string | symbol): string | undefined => {
    const old = Object.getOwnPropertyDescriptor(was, key);
    const now = Object.getOwnPropertyDescriptor(is, key);
    if (!now) return ' was removed';
    if (!old) return ' was added';
    return old.get !== undefined && now.get !== undefined ? undefined : compare(old.value, now.value);
  };

  const change = compare(before, after);
  return change && name + change;
}

/** An array's length comes last, since its elements say more. */
function keysOfBoth(was: object, is: object): Set<string | symbol> {
  const keys = new Set([...Reflect.ownKeys(was), ...Reflect.ownKeys(is)]);
  if (keys.delete('length')) keys.add('length');
  return keys;
}

function step(object: object, key: string | symbol): string {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  if (Array.isArray(object) && key !== 'length') return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Functions and symbols that a recipe made twice count as the same. */
function sameLeaf(was: unknown, is: unknown): boolean {
  if (typeof was === 'function') return typeof is === 'function' && was.name === is.name;
  if (typeof was === 'symbol') return typeof is === 'symbol' && was.description === is.description;
  return Object.is(was, is);
}

/** What a caller's data is made of; anything else (a signal, a transaction) is left alone. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) || value instanceof Uint8Array || value instanceof Date) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isForeign(value: unknown): boolean {
  return (typeof value === 'object' && value !== null && !isContainer(value)) || typeof value === 'function';
}

/** Visits every container once, without running getters. */
function walk(root: unknown, visit: (object: object) => void): void {
  const seen = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (!isContainer(value) || seen.has(value)) continue;
    seen.add(value);
    if (!(value instanceof Uint8Array)) {
      for (const key of Object.keys(value)) open.push(Object.getOwnPropertyDescriptor(value, key)!.value);
    }
    visit(value);
  }
}
