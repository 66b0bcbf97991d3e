import { resolve } from 'node:path';

/** Identifies the database behind a path or a `file:` URI, whatever options the URI carries. */
export function databaseKey(path: string | Uint8Array | URL): string {
  const text = path instanceof URL ? path.href : typeof path === 'string' ? path : Buffer.from(path).toString();
  if (text === '' || text === ':memory:') return text;
  if (!text.startsWith('file:')) return resolve(text);
  const bare = text.slice('file:'.length).replace(/[?#].*$/s, '');
  return resolve(decodeURIComponent(bare.replace(/^\/\/[^/]*(?=\/)/, '')));
}
