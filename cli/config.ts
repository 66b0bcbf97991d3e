import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { importExport } from '../host/modules.ts';
import { provisions } from '../providers/provider.ts';
import type { Same } from '../reporters/schema.ts';
import { UsageError } from '../runner/usage-error.ts';
import type { Config } from './define-config.ts';
import { hostKinds } from './options.ts';
import { didYouMean } from './suggest.ts';

const fileNames = ['contract-test.config.ts', 'contract-test.config.js', 'contract-test.config.mjs'];

const oneOrMore = Type.Union([Type.String(), Type.Array(Type.String())], { expects: 'a text or a list of texts' });
const number = Type.Number({ expects: 'a number' });
const flag = Type.Boolean({ expects: 'true or false' });

const schema = Type.Partial(
  Type.Object({
    provider: oneOrMore,
    url: Type.String({ expects: 'a text' }),
    provision: Type.Enum([...provisions], { expects: `one of ${provisions.join(', ')}` }),
    require: oneOrMore,
    backend: oneOrMore,
    contract: oneOrMore,
    guard: oneOrMore,
    seed: number,
    runs: number,
    timeout: Type.Union([Type.Number(), Type.String()], { expects: 'milliseconds, or a text such as "10s"' }),
    keep: flag,
    trace: flag,
    host: Type.Enum([...hostKinds], { expects: `one of ${hostKinds.join(', ')}` }),
    reporter: oneOrMore,
    strict: flag,
    debug: flag,
  }),
);
// Compiles only while what is checked and what authors are told is the same.
true satisfies Same<Required<Static<typeof schema>>, Required<Config>>;

export interface LoadedConfig {
  config: Config;
  /** Folder that its files are relative to. */
  folder: string;
}

/** Loads the configuration of a folder, or the file that was named; without one everything is left to defaults. */
export async function loadConfig(cwd: string, named: string | undefined): Promise<LoadedConfig> {
  if (named !== undefined && !existsSync(resolve(cwd, named))) {
    throw new UsageError(`--config ${JSON.stringify(named)}: there is no file ${resolve(cwd, named)}`);
  }
  const file = [named ?? fileNames]
    .flat()
    .map((name) => resolve(cwd, name))
    .find(existsSync);
  if (file === undefined) return { config: {}, folder: cwd };
  return { config: checked(await load(file), basename(file)), folder: dirname(file) };
}

async function load(file: string): Promise<unknown> {
  try {
    const loading = importExport({ url: pathToFileURL(file).href, export: 'default' }, 'configuration');
    return await Promise.race([loading, nothingLeft(`configuration ${file} awaits what never comes`)]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw Object.assign(new UsageError(message, 'it must hold export default defineConfig({ ... })'), { cause: error });
  }
}

/** Rejects when the process has nothing left to do, and would end without a word. */
function nothingLeft(message: string): Promise<never> {
  return new Promise((_, reject) => process.once('beforeExit', () => reject(new Error(message))));
}

/** Checks a configuration key by key, so that the first mistake is named in words. */
export function checked(value: unknown, file: string): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${file}: the default export is no object`, 'write export default defineConfig({ ... })');
  }
  for (const [key, given] of Object.entries(value)) {
    const property = Object.entries(schema.properties).find(([name]) => name === key)?.[1];
    if (!property) {
      throw new UsageError(
        `${file}: unknown key ${JSON.stringify(key)}`,
        didYouMean(key, Object.keys(schema.properties)),
      );
    }
    if (given !== undefined && !Value.Check(property, given)) {
      const { expects } = property as { expects?: string };
      throw new UsageError(`${file}: ${key} is ${JSON.stringify(given)}`, `it must be ${expects}`);
    }
  }
  return value;
}
