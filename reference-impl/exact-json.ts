/**
 * The JSON text of a value that reads back as the same value.
 *
 * `JSON.stringify` leaves out functions and undefined members, turns NaN into null and a Date into text, and reads a
 * getter at a moment of its own. Here every property is read once, and what JSON cannot carry is refused: undefined,
 * functions, symbols, bigints, NaN and infinities, cycles, holes in arrays, and every object that is neither a plain
 * object nor an array. Lone surrogates and NUL survive, because JSON escapes them; so does the sign of zero.
 *
 * @throws TypeError that names the place of the value, or what a getter threw.
 */
export function exactJson(value: unknown): string {
  try {
    return written(value, [], new Set());
  } catch (error) {
    if (error instanceof RangeError) throw new TypeError('a value is nested too deeply for JSON', { cause: error });
    throw error;
  }
}

type Path = (string | number)[];

function written(value: unknown, path: Path, within: Set<object>): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw refused(String(value), path);
      return Object.is(value, -0) ? '-0' : String(value);
    case 'object':
      return value === null ? 'null' : writtenObject(value, path, within);
    default:
      throw refused(value === undefined ? 'undefined' : `a ${typeof value}`, path);
  }
}

function writtenObject(value: object, path: Path, within: Set<object>): string {
  if (within.has(value)) throw refused('an object inside itself', path);
  within.add(value);
  const text = Array.isArray(value) ? writtenArray(value, path, within) : writtenMembers(value, path, within);
  within.delete(value);
  return text;
}

function writtenArray(array: unknown[], path: Path, within: Set<object>): string {
  if (Object.keys(array).length !== array.length) throw refused('an array with holes or names', path);
  let text = '';
  for (let i = 0; i < array.length; i++) {
    path.push(i);
    text += `${i === 0 ? '' : ','}${written(array[i], path, within)}`;
    path.pop();
  }
  return `[${text}]`;
}

function writtenMembers(object: object, path: Path, within: Set<object>): string {
  if (!isPlain(object)) throw refused(`a ${object.constructor?.name ?? 'strange object'}`, path);
  if (Object.getOwnPropertySymbols(object).length > 0) throw refused('a member named by a symbol', path);
  let text = '';
  for (const key of Object.keys(object)) {
    path.push(key);
    const member = written((object as Record<string, unknown>)[key], path, within);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${member}`;
    path.pop();
  }
  return `{${text}}`;
}

/** Made by `{}`, by `Object.create(null)`, or by `{}` in another realm. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function refused(what: string, path: Path): TypeError {
  const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
  return new TypeError(`JSON cannot carry ${what}${place}`);
}
