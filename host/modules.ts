import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { failureOf } from './failure.ts';
import { answerToOwnName } from './own-name.ts';
import type { ModuleRef } from './protocol.ts';

/** What turns a backend's file into something that Node runs. */
export type Loader = 'plain' | 'node' | 'tsx';

export interface LoaderMeans {
  /** Whether tsx can be had. */
  tsx: boolean;
  /** Whether this Node strips types by itself. */
  stripping: boolean;
  /** URL of the toolkit's own folder; what lies there is written for Node's type stripping. */
  toolkit: string;
}

const typeScript = new Set(['.ts', '.mts', '.cts', '.tsx']);

/**
 * How a file is loaded. The toolkit's own files need nothing but Node, which is much faster than tsx; anybody else's
 * may use syntax that Node does not strip, so tsx comes first there.
 */
export function loaderFor(url: string, means: LoaderMeans): Loader {
  const extension = extname(fileURLToPath(url));
  if (!typeScript.has(extension)) return 'plain';
  if (means.stripping && extension !== '.tsx' && url.startsWith(means.toolkit)) return 'node';
  if (means.tsx) return 'tsx';
  if (means.stripping && extension !== '.tsx') return 'node';
  throw new Error(`${fileURLToPath(url)} is TypeScript, which this Node does not run; install tsx: npm install -D tsx`);
}

/** Imports a module and takes one export of it; the error for a wrong one names what the module does export. */
export async function importExport(ref: ModuleRef, what: string): Promise<unknown> {
  const path = fileURLToPath(ref.url);
  if (!existsSync(path)) throw new Error(`${what} ${path} does not exist`);
  if (/%5c/i.test(ref.url)) {
    throw new Error(`${what} ${path} cannot be imported: Node.js takes no module with a backslash in its path`);
  }
  await prepareLoader(ref.url);
  answerToOwnName();
  let exported: Record<string, unknown>;
  try {
    exported = await import(ref.url);
  } catch (error) {
    const { name, message } = failureOf(error);
    throw new Error(`${what} ${path} does not load: ${name}: ${message}${await placeOf(error, path)}`, {
      cause: error,
    });
  }
  const found = unwrapDefault(exported[ref.export]);
  if (found !== undefined) return found;
  const names = Object.keys(exported);
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  throw new Error(`${what} ${path} has no export '${ref.export}'; it exports ${has}`);
}

async function prepareLoader(url: string): Promise<void> {
  const tsxFrom = resolverOfTsx(url);
  const toolkit = new URL('../', import.meta.url).href;
  const stripping = Boolean(process.features.typescript);
  if (loaderFor(url, { tsx: tsxFrom !== undefined, stripping, toolkit }) !== 'tsx') return;
  // Not tsx/cjs/api as well: it would load the toolkit a second time for a backend that is CommonJS, and a store in
  // memory is one only when everybody sees the same module.
  const { register } = await import(pathToFileURL(tsxFrom!.resolve('tsx/esm/api')).href);
  register();
}

/** The backend's own tsx comes before the toolkit's. */
function resolverOfTsx(url: string): NodeJS.Require | undefined {
  for (const from of [url, import.meta.url]) {
    const require = createRequire(from);
    try {
      require.resolve('tsx/esm/api');
      return require;
    } catch {
      // Not to be found from there.
    }
  }
  return undefined;
}

/** A CommonJS file that was compiled from ESM keeps its default export one level down. */
function unwrapDefault(found: unknown): unknown {
  if (typeof found === 'object' && found !== null && '__esModule' in found && 'default' in found) return found.default;
  return found;
}

/** Where a syntax error is, which the error itself does not say: asked of Node's own check. */
async function placeOf(error: unknown, path: string): Promise<string> {
  if (!(error instanceof SyntaxError)) return '';
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', path], (_failed, _output, complaint) => {
      const line = complaint.split('\n').find((text) => text.startsWith(`${path}:`));
      resolve(line === undefined ? '' : ` (${line})`);
    });
  });
}
