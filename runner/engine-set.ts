import { EngineUnavailable, type Provider } from '../providers/provider.ts';
import { startEngine } from './engines.ts';
import type { AbsentEngine, EngineReport } from './report.ts';
import type { RunOptions } from './run-options.ts';
import type { Selection } from './select.ts';

/** A running engine, and what doctor found on it. */
export type Started = Awaited<ReturnType<typeof startEngine>>;

/** The engines of a run, each started when its first path is reached. */
export class EngineSet {
  readonly reports: EngineReport[] = [];
  readonly absent: AbsentEngine[] = [];
  readonly #paths: Selection['paths'];
  readonly #options: RunOptions;
  /** Undefined for one that could not be had. */
  readonly #engines = new Map<Provider, Promise<Started | undefined>>();
  readonly #heard: { started(engine: EngineReport): void; absent(engine: AbsentEngine): void };

  constructor(
    paths: Selection['paths'],
    options: RunOptions,
    heard: { started(engine: EngineReport): void; absent(engine: AbsentEngine): void },
  ) {
    this.#paths = paths;
    this.#options = options;
    this.#heard = heard;
  }

  /** The engine of a provider, or undefined when it cannot be had and was not required. */
  of(provider: Provider): Promise<Started | undefined> {
    const there = this.#engines.get(provider) ?? this.#start(provider);
    this.#engines.set(provider, there);
    return there;
  }

  /** Stops all that were started. */
  async stop(): Promise<void> {
    for (const starting of this.#engines.values()) {
      const started = await starting.catch(() => undefined);
      if (!started) continue;
      await started.engine.stop();
      started.report.kept.push(...started.engine.kept());
    }
  }

  async #start(provider: Provider): Promise<Started | undefined> {
    const modes = this.#paths.filter(({ path }) => path.provider === provider).map(({ path }) => path.mode);
    try {
      const started = await startEngine(provider, [...new Set(modes)], this.#options);
      this.reports.push(started.report);
      this.#heard.started(started.report);
      return started;
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || this.#options.required.includes(provider.name)) throw error;
      const absent = { provider: provider.name, reason: error.message };
      this.absent.push(absent);
      this.#heard.absent(absent);
      return undefined;
    }
  }
}
