import { findProvider, providers } from '../providers/index.ts';
import { type Engine, type EngineOptions, EngineUnavailable, type Provider } from '../providers/provider.ts';
import type { EngineReport } from './report.ts';
import type { RunOptions } from './run-options.ts';
import { UsageError } from './usage-error.ts';

/** What a run was told about its engines. */
export type ServerOptions = Pick<RunOptions, 'keep' | 'provision' | 'url' | 'required'>;

/** The engine was there, and is no more. */
export class EngineEnded extends EngineUnavailable {}

/** Refuses what was told about servers when it means none of the chosen providers. */
export function checkServers(chosen: readonly Provider[], options: Omit<ServerOptions, 'keep'>): void {
  const { provision, url, required } = options;
  const servers = chosen.filter(({ inProcess }) => !inProcess).map(({ name }) => name);
  const known = providers.filter(({ inProcess }) => !inProcess).map(({ name }) => name);
  const nameOne = `name one, such as --provider ${known[0]}`;
  if (url && provision && provision !== 'url') {
    throw new UsageError(`--url and --provision ${provision} contradict each other`, 'leave one out');
  }
  if (url && servers.length !== 1) {
    const found = servers.length === 0 ? 'none is asked for' : `this run has ${servers.join(' and ')}`;
    throw new UsageError(`--url is the address of one server, and ${found}`, nameOne);
  }
  if (provision && servers.length === 0) {
    throw new UsageError('--provision is a way to a server, and none is asked for', nameOne);
  }
  const missing = required.find((name) => !chosen.some((provider) => provider.name === name));
  if (missing !== undefined) {
    throw new UsageError(`--require ${missing}: nothing is judged on ${missing}`, `add --provider ${missing}`);
  }
}

/**
 * Starts an engine and examines each mode that will be used before anything is judged on it.
 *
 * Throws `EngineUnavailable` when it cannot be had.
 */
export async function startEngine(
  provider: Provider,
  modes: readonly string[],
  options: Partial<ServerOptions>,
): Promise<{ engine: Engine; report: EngineReport }> {
  const startedAt = performance.now();
  const engine = await provider.start(engineOptions(provider, options));
  const startMs = Math.round(performance.now() - startedAt);
  const report: EngineReport = {
    provider: provider.name,
    version: engine.version,
    modes: [...modes],
    startMs,
    kept: [],
    doctor: [],
  };
  try {
    for (const mode of modes) {
      for (const check of await engine.examine(mode)) report.doctor.push({ ...check, mode });
      if (report.doctor.some(({ ok }) => !ok)) await mustLive(engine, mode);
    }
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return { engine, report };
}

/** Throws `EngineEnded` when the engine gives no lease any more: what failed on it then is nobody's fault. */
export async function mustLive(engine: Engine, mode: string): Promise<void> {
  if (findProvider(engine.provider)?.inProcess) return;
  try {
    const lease = await engine.lease({ mode });
    await lease.release({ keep: false });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new EngineEnded(`${engine.provider} ended during the run: ${message}`, { cause });
  }
}

function engineOptions(provider: Provider, { keep, provision, url }: Partial<ServerOptions>): EngineOptions {
  const server = provider.inProcess ? {} : { ...(url && { url: url.address }), ...(provision && { provision }) };
  return { keep: keep ?? false, ...server };
}
