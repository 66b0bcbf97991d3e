import { findProvider } from '../providers/index.ts';
import { startEngine } from './engines.ts';
import type { EngineReport } from './report.ts';
import { UsageError } from './usage-error.ts';

/** Starts each engine, examines all its modes, and stops it again. */
export async function doctor(options: { providers: string[]; signal: AbortSignal }): Promise<EngineReport[]> {
  const reports: EngineReport[] = [];
  for (const name of options.providers) {
    const provider = findProvider(name);
    if (!provider) throw new UsageError(`no provider is called ${name}`, 'contract-test list shows the providers');
    if (options.signal.aborted) break;
    const { engine, report } = await startEngine(provider, provider.modes, {});
    await engine.stop();
    reports.push(report);
  }
  return reports;
}
