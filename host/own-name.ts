import * as module from 'node:module';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const entries = new Map([
  ['contract-test', new URL(`../index${extension}`, import.meta.url).href],
  ['contract-test/memory', new URL(`../memory${extension}`, import.meta.url).href],
]);
let registered = false;

/**
 * Lets a backend's file import the toolkit by its name from any folder, also where the toolkit is not installed
 * (`npx contract-test --backend file.ts`), and makes sure that it gets the toolkit that is judging it.
 */
export function answerToOwnName(): void {
  // Node 23.0 to 23.4 has no synchronous hooks; the name is then found as any other package is.
  if (registered || typeof module.registerHooks !== 'function') return;
  registered = true;
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
