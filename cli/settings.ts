import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { provisions } from '../providers/provider.ts';
import type { ReporterSpec } from '../reporters/index.ts';
import { type BackendModule, defaultRuns, defaultTimeout, type RunOptions } from '../runner/run-options.ts';
import { UsageError } from '../runner/usage-error.ts';
import type { LoadedConfig } from './config.ts';
import type { Config } from './define-config.ts';
import * as option from './options.ts';

/** The options of `run` as commander hands them over: texts, and lists of texts. */
export interface RunFlags {
  provider?: string[];
  url?: string;
  provision?: string;
  require?: string[];
  backend?: string[];
  contract?: string[];
  guard?: string[];
  mutant?: string[];
  seed?: string;
  runs?: string;
  replay?: string;
  timeout?: string;
  keep?: true;
  trace?: true;
  host?: string;
  reporter?: string[];
  config?: string;
  strict?: true;
  debug?: true;
}

/** What a run was asked for, checked, with everything filled in. */
export interface Settings {
  options: Omit<RunOptions, 'signal'>;
  reporters: ReporterSpec[];
  debug: boolean;
}

/** Puts together the command line, which wins, the configuration and the defaults. */
export function settle(
  flags: RunFlags,
  { config, folder }: LoadedConfig,
  cwd: string,
  builtIn: readonly BackendModule[],
): Settings {
  const backends = flags.backend
    ? flags.backend.map((value) => ({ file: value, ref: option.backend('--backend', value, cwd) }))
    : listOf(config.backend)?.map((value) => ({
        file: join(relative(cwd, folder), value),
        ref: option.backend('backend', value, folder),
      }));
  const named = flags.provider ?? listOf(config.provider);
  const paths = option
    .list(named ?? (backends ? [] : option.defaultProviders))
    .map((value) => option.path('--provider', value));
  const required = option.list(flags.require ?? listOf(config.require) ?? []);
  const guards = flags.guard ?? listOf(config.guard) ?? [];
  if (flags.replay !== undefined && guards.length === 0) {
    throw new UsageError('--replay needs --guard, since a case belongs to one guard', 'copy the whole replay line');
  }
  const reporters = flags.reporter ?? listOf(config.reporter) ?? ['console'];
  const random = option.randomSeed();
  return {
    options: {
      backends: backends?.map(({ ref }) => ref) ?? [...builtIn],
      backendFiles: backends?.map(({ file }) => file) ?? [],
      paths,
      // Who names an engine wants it judged.
      required: [...new Set([...required, ...(named ? paths.map((path) => path.split('/')[0]!) : [])])],
      ...serverSettings(flags, config, cwd, folder),
      contracts: option.list(flags.contract ?? listOf(config.contract) ?? []),
      guards,
      seed: option.integer('--seed', flags.seed ?? config.seed ?? random, { least: -(2 ** 31), most: 2 ** 31 - 1 }),
      runs: option.integer('--runs', flags.runs ?? config.runs ?? defaultRuns, { least: 1, most: 1_000_000 }),
      replay: flags.replay ?? null,
      timeout: option.milliseconds('--timeout', flags.timeout ?? config.timeout ?? defaultTimeout),
      keep: flags.keep ?? config.keep ?? false,
      trace: flags.trace ?? config.trace ?? false,
      strict: flags.strict ?? config.strict ?? false,
      host: option.word('--host', flags.host ?? config.host ?? 'worker', option.hostKinds),
      mutants: flags.mutant ?? [],
      concurrency: Math.min(availableParallelism(), 4),
    },
    reporters: reporters.map((value) => option.reporter('--reporter', value)),
    debug: flags.debug ?? config.debug ?? false,
  };
}

/** How a server is had, as `run` and `doctor` take it. */
export function serverSettings(
  flags: Pick<RunFlags, 'url' | 'provision'>,
  config: Pick<Config, 'url' | 'provision'>,
  cwd: string,
  folder: string,
): Pick<RunOptions, 'url' | 'provision'> {
  const provision = flags.provision ?? config.provision;
  const url = flags.url
    ? option.serverUrl('--url', flags.url, cwd)
    : config.url && option.serverUrl('url', config.url, folder);
  return {
    provision: provision === undefined ? null : option.word('--provision', provision, provisions),
    url: url || null,
  };
}

function listOf(value: string | string[] | undefined): string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
