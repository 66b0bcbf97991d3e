import type { Bench } from './guard.ts';
import { Recipe } from './recipe.ts';

/** A body in the type that the backend stores, with the nonce in front. */
export function body(bench: Bench, token: string, slot: number): unknown {
  const text = `${token} ${'lorem ipsum dolor sit amet'.slice(0, 5 + (slot % 20))}`;
  switch (bench.declaration.body) {
    case 'text':
      return text;
    case 'bytes':
      return new TextEncoder().encode(text);
    case 'json':
      return { token, slot, text };
  }
}

/** A body of text in which every character takes three bytes. */
export function wideBody(bench: Bench, token: string, characters: number): unknown {
  const text = `${token} ${'\u65e5'.repeat(characters)}`;
  if (bench.declaration.body === 'bytes') return new TextEncoder().encode(text);
  return bench.declaration.body === 'text' ? text : { token, text };
}

const tokenPattern = /ct[0-9a-z]+x[0-9]+-[0-9]+/;

/** The nonce that a body carries, or undefined. */
export function tokenIn(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1').match(tokenPattern)?.[0];
  if (typeof value === 'string') return value.match(tokenPattern)?.[0];
  if (value instanceof Recipe) return value.token || undefined;
  if (value !== null && typeof value === 'object') {
    const token = (value as { token?: unknown }).token;
    if (typeof token === 'string') return token.match(tokenPattern)?.[0];
    return JSON.stringify(value)?.match(tokenPattern)?.[0];
  }
  return undefined;
}
