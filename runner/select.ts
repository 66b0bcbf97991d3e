import picomatch from 'picomatch';
import { contracts } from '../contracts/index.ts';
import type { Contract, Guard } from '../contracts/kernel/guard.ts';
import { HostEnded, HostRefused } from '../host/host.ts';
import type { Manifest, ModuleRef } from '../host/protocol.ts';
import { findProvider, providers } from '../providers/index.ts';
import { EngineUnavailable, type Provider } from '../providers/provider.ts';
import { Interrupted } from './deadline.ts';
import { checkServers } from './engines.ts';
import { HostPool } from './host-pool.ts';
import { type EnginePath, pathMatches, pathName } from './path.ts';
import { withoutDriver } from './references.ts';
import type { BackendModule, RunOptions } from './run-options.ts';
import { UsageError } from './usage-error.ts';

/** What a run will judge: paths in order, the hosts of their backends, and the guards by contract. */
export interface Selection {
  paths: SelectedPath[];
  pools: HostPool[];
}

export interface SelectedPath {
  path: EnginePath;
  pool: HostPool;
  guards: Guard[];
}

/** Loads the backends and applies the filters; a filter that matches nothing is a `UsageError`. */
export async function select(options: RunOptions): Promise<Selection> {
  checkFilters(options);
  const chosen = contracts.filter((c) => options.contracts.length === 0 || options.contracts.includes(c.name));
  for (const name of options.contracts) {
    if (!contracts.some((c) => c.name === name))
      throw new UsageError(`no contract is called ${name}`, `there is: ${contracts.map((c) => c.name).join(', ')}`);
  }
  const pools: HostPool[] = [];
  try {
    const all: { path: EnginePath; pool: HostPool; contract: Contract }[] = [];
    for (const module of options.backends.filter(({ provider }) => isWanted(provider, options.paths))) {
      const found = await loadBackend(module, options, pools);
      all.push(...enginePaths(found, module, chosen, options));
    }
    const wanted = filterPaths(all, options.paths);
    const paths = wanted.map(({ path, pool, contract }) => ({
      path: { ...path, firstOfVariant: wanted.find((other) => sameVariant(other.path, path))!.path.name },
      pool,
      guards: filterGuards(contract.guards, options.guards),
    }));
    if (paths.every(({ guards }) => guards.length === 0)) {
      const ids = [...new Set(wanted.flatMap(({ contract }) => contract.guards.map((g) => g.id)))];
      throw new UsageError(`no guard matches ${options.guards.join(', ')}`, `the guards are: ${ids.join(', ')}`);
    }
    for (const glob of options.guards) {
      if (!wanted.some(({ contract }) => filterGuards(contract.guards, [glob]).length > 0))
        throw new UsageError(`no guard matches ${glob}`, 'contract-test list shows all guards');
    }
    const judged = paths.filter(({ guards }) => guards.length > 0);
    checkServers([...new Set(judged.map(({ path }) => path.provider))], options);
    return { paths: judged, pools };
  } catch (error) {
    await Promise.all(pools.map((pool) => pool.end()));
    throw error;
  }
}

function isWanted(provider: string | undefined, filters: string[]): boolean {
  return provider === undefined || filters.length === 0 || filters.some((f) => f.split('/')[0] === provider);
}

/** An empty filter is a slip, and would be taken for none. */
function checkFilters(options: RunOptions): void {
  const filters = { '--provider': options.paths, '--contract': options.contracts, '--guard': options.guards };
  for (const [option, values] of Object.entries(filters)) {
    if (values.some((value) => value.trim() === '')) throw new UsageError(`${option} is empty`, 'leave it out for all');
  }
  const path = options.replay?.split('@')[1];
  if (options.replay === '' || (path !== undefined && !/^\d+(:\d+)*$/.test(path))) {
    throw new UsageError(`--replay ${options.replay} is no case`, 'copy the whole replay line of a failure');
  }
}

interface Loaded {
  manifest: Manifest;
  provider: Provider;
  pool: HostPool;
}

async function loadBackend(module: BackendModule, options: RunOptions, pools: HostPool[]): Promise<Loaded> {
  const pool = new HostPool(options.host, module);
  pools.push(pool);
  const manifest = await manifestOf(pool, module, options.signal);
  const provider = findProvider(manifest.provider);
  if (!provider) {
    throw new UsageError(
      `backend ${manifest.name} is for provider ${manifest.provider}, which is not known`,
      `the providers are: ${providers.map((p) => p.name).join(', ')}`,
    );
  }
  return { manifest, provider, pool };
}

async function manifestOf(pool: HostPool, module: BackendModule, signal: AbortSignal): Promise<Manifest> {
  try {
    const host = await untilAborted(pool.take(), signal);
    await pool.giveBack(host, true);
    return host.manifest;
  } catch (error) {
    if (error instanceof HostRefused) {
      const noDriver = withoutDriver(module, error.message);
      throw noDriver ? new EngineUnavailable(noDriver) : new UsageError(error.message);
    }
    if (error instanceof HostEnded)
      throw new UsageError(`the backend ended its host while it was loaded: ${error.message}`);
    throw error;
  }
}

/** Waits, but no longer than until the signal aborts: a backend may take half a minute to load. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Interrupted());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function enginePaths(
  { manifest, provider, pool }: Loaded,
  module: ModuleRef,
  chosen: readonly Contract[],
  options: RunOptions,
) {
  const variants = Object.entries(manifest.variants);
  const modes = provider.modes.filter(
    (mode) => options.host !== 'process' || !provider.oneProcessModes?.includes(mode),
  );
  return modes.flatMap((mode) =>
    variants.flatMap(([variant, entries]) =>
      chosen.flatMap((contract) => {
        const entry = entries[contract.name];
        // A probe of the backend's own cannot see a database that only the subject's connection sees.
        if (!entry || (entry.ownProbe && provider.privateModes?.includes(mode))) return [];
        const name = pathName(provider, mode, variant, variants.length);
        const common = { backend: manifest.name, module, provider, mode, variant, contract: contract.name, name };
        const { statements, ownProbe } = entry;
        return [{ path: { ...common, statements, ownProbe, firstOfVariant: name }, pool, contract }];
      }),
    ),
  );
}

function sameVariant(a: EnginePath, b: EnginePath): boolean {
  return a.module === b.module && a.contract === b.contract && a.variant === b.variant;
}

function filterPaths<P extends { path: EnginePath }>(all: P[], filters: string[]): P[] {
  if (all.length === 0)
    throw new UsageError(
      'no backend has an entry for the contracts that were asked for',
      'contract-test list shows contracts and paths',
    );
  if (filters.length === 0) return all;
  for (const filter of filters) {
    if (all.some(({ path }) => pathMatches(filter, path))) continue;
    const name = filter.split('/')[0]!;
    const known = [...new Set(all.map(({ path }) => path.name))];
    if (!providers.some((p) => p.name === name))
      throw new UsageError(
        `no provider is called ${name}`,
        `the providers are: ${providers.map((p) => p.name).join(', ')}`,
      );
    throw new UsageError(`no path matches ${filter}`, `the paths are: ${known.join(', ')}`);
  }
  return all.filter(({ path }) => filters.some((filter) => pathMatches(filter, path)));
}

function filterGuards(guards: readonly Guard[], globs: string[]): Guard[] {
  if (globs.length === 0) return [...guards];
  const matches = picomatch(globs);
  return guards.filter((g) => matches(g.id));
}
