import type { CustomTypesConfig } from 'pg';

const parsers: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't', // bool
  17: bytes,
  20: integer, // int8
  21: Number, // int2
  23: Number, // int4
  26: Number, // oid
  700: Number, // float4
  701: Number, // float8
  1184: instant, // timestamptz
  1700: decimal, // numeric
};

/** Values as the judge reads them: JSON as its text, instants as ISO 8601, numbers exact; the rest is text. */
export const readTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number) => parsers[oid] ?? ((text: string) => text)) as CustomTypesConfig['getTypeParser'],
};

/** Every value as the text that the server sends. */
export const textTypes: CustomTypesConfig = {
  getTypeParser: (() => (text: string) => text) as CustomTypesConfig['getTypeParser'],
};

function bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}

/** A number where a number holds it exactly. */
export function integer(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** A number where a number stands for the same decimal, else the text. */
function decimal(text: string): number | string {
  const shortest = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return String(Number(shortest)) === shortest ? Number(shortest) : text;
}

/** `2025-01-02 03:04:05.6+00` as `2025-01-02T03:04:05.6Z`; what is no such date, such as infinity, stays. */
function instant(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/, '$1T$2Z');
}
