import { isDeepStrictEqual } from 'node:util';
import { Recipe } from './recipe.ts';

/** A value on one line, cut in the middle when it is longer than `width` characters. */
export function short(value: unknown, width = 60): string {
  return cut(print(value), width);
}

/** A text, cut in the middle when it is longer than `width` characters. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const half = Math.floor((width - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(text.length - (width - 1 - half))}`;
}

function print(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Recipe) return `<${value.name}>`;
  if (value instanceof Uint8Array)
    return `<${value.length} bytes ${Buffer.from(value.subarray(0, 12)).toString('hex')}>`;
  try {
    return (
      JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? `${v}n` : v instanceof Recipe ? `<${v.name}>` : v)) ??
      String(value)
    );
  } catch {
    return String(value);
  }
}

/** Whether two values that went through JSON are the same: key order and the sign of zero do not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

function plain(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value !== null && typeof value === 'object') {
    const copy = new Map<string, unknown>();
    for (const [key, member] of Object.entries(value)) copy.set(key, plain(member));
    return copy;
  }
  return value;
}

/** `1 message`, `3 messages`. */
export function count(n: number, plural: string): string {
  return `${n} ${n === 1 ? plural.replace(/s$/, '') : plural}`;
}
