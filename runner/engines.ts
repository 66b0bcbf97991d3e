import type { Engine, EngineOptions, Provider } from '../providers/provider.ts';
import type { EngineReport } from './report.ts';

/** Starts an engine and examines each mode that will be used before anything is judged on it. */
export async function startEngine(
  provider: Provider,
  modes: readonly string[],
  options: EngineOptions,
): Promise<{ engine: Engine; report: EngineReport }> {
  const startedAt = performance.now();
  const engine = await provider.start(options);
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
    }
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return { engine, report };
}
