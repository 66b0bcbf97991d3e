import { existsSync, readFileSync } from 'node:fs';

/** The version of this package, as its package.json says. */
export function packageVersion(): string {
  // The file is one folder up in the checkout, and two once compiled into dist/.
  for (const place of ['../package.json', '../../package.json']) {
    const url = new URL(place, import.meta.url);
    if (existsSync(url)) return JSON.parse(readFileSync(url, 'utf8')).version;
  }
  return 'unknown';
}
