import { findProvider } from '../providers/index.ts';
import { checkServers, type ServerOptions, startEngine } from './engines.ts';
import type { EngineReport } from './report.ts';
import { UsageError } from './usage-error.ts';

export interface DoctorOptions extends Pick<ServerOptions, 'provision' | 'url'> {
  providers: string[];
  signal: AbortSignal;
}

/** Starts each engine, examines all its modes, and stops it again. */
export async function doctor({ providers, signal, ...server }: DoctorOptions): Promise<EngineReport[]> {
  const reports: EngineReport[] = [];
  const chosen = providers.map((name) => {
    const provider = findProvider(name);
    if (!provider) throw new UsageError(`no provider is called ${name}`, 'contract-test list shows the providers');
    return provider;
  });
  checkServers(chosen, { ...server, required: [] });
  for (const provider of chosen) {
    if (signal.aborted) break;
    const { engine, report } = await startEngine(provider, provider.modes, server);
    await engine.stop();
    reports.push(report);
  }
  return reports;
}
