/** Plain text columns cannot hold NUL or half a character exactly on every engine. */
export function text(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') throw new TypeError(`${option} is not text`);
  if (/[\0\p{Surrogate}]/u.test(value)) throw new TypeError(`${option} holds NUL or a lone surrogate`);
  return value;
}

/** An integer that JSON and every engine keep exactly; null for what the caller left out. */
export function integer(option: string, value: unknown): number | null {
  if (value === undefined) return null;
  if (!Number.isSafeInteger(value)) throw new TypeError(`${option} is not a safe integer`);
  return value as number;
}
