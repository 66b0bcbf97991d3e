import { clauseSet, type Guard } from '../contracts/kernel/guard.ts';
import type { Engine, Provider } from '../providers/provider.ts';
import { allSettled } from './all-settled.ts';
import { Interrupted } from './deadline.ts';
import { EngineSet } from './engine-set.ts';
import { EngineEnded } from './engines.ts';
import { exitCodeOf, summarize } from './exit-code.ts';
import { blankVerdict, judge, type PathContext } from './judge.ts';
import { pathContext } from './path-context.ts';
import type { EngineReport, PathReport, Report, Reporter, RunEvents, Verdict } from './report.ts';
import type { RunOptions } from './run-options.ts';
import { select } from './select.ts';
import { Turns } from './turns.ts';
import { packageVersion } from './version.ts';

const interrupted = 'interrupted before all guards had run';

/**
 * Judges every selected path and returns all that was found.
 *
 * Throws `UsageError` when the selection is wrong and `EngineUnavailable` when a required engine cannot be had. When
 * `options.signal` aborts, or an engine ends unasked, what was found so far is reported as interrupted. Everything that was started is ended.
 */
export async function run(options: RunOptions, reporters: readonly Reporter[]): Promise<Report> {
  const startedAt = performance.now();
  const selection = await select(options);
  let total = selection.paths.reduce((sum, { guards }) => sum + guards.length, 0);
  let engineEnded = false;
  const report = blankReport(options);
  const tell = listeners(reporters);
  const counts = report.counts;

  const decide = (verdict: Verdict) => {
    report.firstVerdictMs ??= Math.round(performance.now() - startedAt);
    report.verdicts.push(verdict);
    counts.guards += 1;
    tell('verdict', verdict, { done: report.verdicts.length, total });
  };

  const engines = new EngineSet(selection.paths, options, {
    started: (engine) => tell('engineStarted', engine),
    absent: (engine) => tell('engineAbsent', engine),
  });
  report.engines = engines.reports;
  report.absent = engines.absent;

  /** Paths that have begun. The next one begins when the guards of those before it have. */
  const judged: Promise<void>[] = [];
  let turns: Turns | undefined;
  let provider: Provider | undefined;
  try {
    for (const selected of selection.paths) {
      const { path, guards } = selected;
      options.signal.throwIfAborted();
      if (path.provider !== provider) {
        await allSettled(judged);
        provider = path.provider;
        turns = undefined;
      }
      const started = await engines.of(path.provider);
      if (!started) {
        total -= guards.length;
        continue;
      }
      turns ??= new Turns(guardsAtOnce(path.provider, started.engine, options));
      const context = { ...(await pathContext(selected, started.engine, options)), counts };
      const givesUp = context.declaration.givesUp as Record<string, string>;
      const pathReport: PathReport = {
        path: path.name,
        contract: path.contract,
        backend: path.backend,
        givesUp,
        console: context.console,
      };
      report.paths.push(pathReport);
      tell('pathStarted', pathReport, guards.length);
      const begun = Promise.withResolvers<void>();
      const ill = doctorSays(started.report, path.mode);
      const judging = judgePath(guards, { context, ill, turns, decide, begun: begun.resolve });
      judging.catch(begun.reject);
      judged.push(judging);
      await begun.promise;
    }
    await allSettled(judged);
  } catch (error) {
    engineEnded = error instanceof EngineEnded;
    if (engineEnded) report.interrupted = (error as EngineEnded).message;
    else if (error instanceof Interrupted || options.signal.aborted) report.interrupted = interrupted;
    else throw error;
  } finally {
    await Promise.allSettled(judged);
    await Promise.all(selection.pools.map((pool) => pool.end()));
    await engines.stop();
  }

  report.durationMs = Math.round(performance.now() - startedAt);
  report.summary = summarize(report.verdicts);
  report.exitCode = exitCodeOf(report.verdicts, report.engines, {
    strict: options.strict,
    interrupted: report.interrupted === interrupted,
    engineMissing: engineEnded || (report.absent.length > 0 && report.engines.length === 0),
  });
  for (const reporter of reporters) await reporter.finished?.(report);
  return report;
}

/** What doctor found wrong with a mode, in words. */
export function doctorSays(engine: EngineReport, mode: string): string | undefined {
  const ill = engine.doctor.find((check) => check.mode === mode && !check.ok);
  return ill && `doctor: ${ill.name} (${ill.detail})`;
}

/** Guards that are judged at once: a server works in processes of its own, and leaves this one free meanwhile. */
export function guardsAtOnce(
  { inProcess }: Provider,
  engine: Pick<Engine, 'guardsAtOnce'>,
  { concurrency }: Pick<RunOptions, 'concurrency'>,
): number {
  return Math.min(inProcess ? concurrency : 2 * concurrency, engine.guardsAtOnce ?? Number.POSITIVE_INFINITY);
}

interface Judging {
  context: PathContext;
  /** What doctor found wrong. */
  ill: string | undefined;
  turns: Turns;
  decide(verdict: Verdict): void;
  /** Called when there is nothing left to begin. */
  begun(): void;
}

/**
 * Judges the guards of one path: first those that all others rest on, one after the other and up to the first that does
 * not hold; then side by side; then those that need the engine for themselves.
 */
async function judgePath(guards: readonly Guard[], { context, ill, turns, decide, begun }: Judging): Promise<void> {
  let broken = ill;
  for (const guard of guards.filter((g) => g.foundation)) {
    const verdict = broken ? notJudged(guard, context, broken) : await turns.run(() => judge(guard, context));
    decide(verdict);
    if (!broken && verdict.verdict !== 'upheld' && verdict.verdict !== 'not-applicable') broken = guard.id;
  }
  const rest = guards.filter((g) => !g.foundation);
  if (broken) for (const guard of rest) decide(notJudged(guard, context, broken));
  let waiting = broken ? 0 : rest.length;
  if (waiting === 0) return begun();

  let failed = false;
  const judgeInTurn = (guard: Guard) =>
    turns.run(
      async () => {
        waiting -= 1;
        if (waiting === 0) begun();
        // Where one could not be judged at all, none can.
        if (failed) return;
        context.options.signal.throwIfAborted();
        decide(await judge(guard, context));
      },
      { alone: guard.exclusive },
    );
  const inOrder = [...rest.filter((g) => !g.exclusive), ...rest.filter((g) => g.exclusive)];
  await allSettled(
    inOrder.map(async (guard) => {
      await judgeInTurn(guard).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }),
  );
}

function notJudged(guard: Guard, context: PathContext, broken: string): Verdict {
  return { ...blankVerdict(guard, context.path), verdict: 'vacuous', reason: `not judged: ${broken} did not hold` };
}

function blankReport(options: RunOptions): Report {
  return {
    version: packageVersion(),
    clauses: clauseSet,
    seed: options.seed,
    mutants: options.mutants,
    durationMs: 0,
    firstVerdictMs: null,
    engines: [],
    absent: [],
    paths: [],
    summary: summarize([]),
    counts: { guards: 0, cases: 0, generated: 0, items: 0 },
    verdicts: [],
    exitCode: 5,
    interrupted: null,
  };
}

function listeners(reporters: readonly Reporter[]) {
  return <E extends Exclude<keyof RunEvents, 'finished'>>(event: E, ...args: Parameters<RunEvents[E]>): void => {
    for (const reporter of reporters)
      (reporter[event] as ((...a: Parameters<RunEvents[E]>) => void) | undefined)?.(...args);
  };
}
