import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * URL of a module beside `from` (its `import.meta.url`), in the form in which the toolkit runs: `.ts` in a checkout,
 * `.js` when compiled. `name` has no extension.
 */
export function beside(name: string, from: string): URL {
  return new URL(name + extname(fileURLToPath(from)), from);
}
