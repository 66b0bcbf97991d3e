import { clauseSet, type Guard } from '../contracts/kernel/guard.ts';
import type { Mutant } from '../contracts/kernel/mutant.ts';
import { mutants as allMutants } from '../contracts/mutants.ts';
import { allSettled } from './all-settled.ts';
import { Interrupted } from './deadline.ts';
import { EngineSet, type Started } from './engine-set.ts';
import { EngineEnded } from './engines.ts';
import type { PathContext } from './judge.ts';
import { pathContext } from './path-context.ts';
import type { Proof, ProofEvents, ProofPath, ProofReporter, Trial } from './proof.ts';
import { concludeProof } from './prove-conclusion.ts';
import { chooseMutants, type GuardPlan, mustMeetGuards, mutantsOf, planPath, whyNotMet } from './prove-plan.ts';
import { brokenSetup } from './prove-setup.ts';
import { tryOne, uncontrolled } from './prove-trial.ts';
import { doctorSays, guardsAtOnce } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { type SelectedPath, select } from './select.ts';
import { Turns } from './turns.ts';
import { packageVersion } from './version.ts';

/** What a proof is asked to do. */
export interface ProveOptions extends RunOptions {
  /** Every mutant meets every guard, not only the one that it is aimed at. */
  full: boolean;
  /** Globs over the names of mutants; empty means all. */
  only: string[];
}

/**
 * Proves on every selected path that the guards can fail: spoiled subjects must be found, and the controls let live.
 *
 * Throws and ends as `run` does.
 */
export async function prove(options: ProveOptions, reporters: readonly ProofReporter[]): Promise<Proof> {
  const startedAt = performance.now();
  const mutants = chooseMutants(allMutants, options.only);
  if (!options.full) mustMeetGuards(mutants, options.guards);
  const selection = await select(options);
  const plans = new Map(selection.paths.map((selected) => [selected, planOf(selected, mutants, options)]));
  const tell = listeners(reporters);
  const engines = new EngineSet(selection.paths, options, {
    started: (engine) => tell('engineStarted', engine),
    absent: (engine) => tell('engineAbsent', engine),
  });
  const proof = blankProof(options, mutants, engines);
  const applied = new Map<Guard, number>();
  let engineEnded = false;
  const trialsOf = (plan: readonly GuardPlan[]) => plan.reduce((sum, guardPlan) => sum + countTrials(guardPlan), 0);
  let total = trialsOf([...plans.values()].flat());

  const provePath = async (selected: SelectedPath, { engine, report }: Started, turns: Turns) => {
    const { path } = selected;
    const plan = plans.get(selected)!;
    const doctor = doctorSays(report, path.mode) ?? null;
    const context = doctor === null ? await pathContext(selected, engine, options) : undefined;
    const ill = context ? await brokenSetup(context, turns) : doctor;
    const common = { contract: path.contract, backend: path.backend, provider: path.provider.name };
    const proofPath: ProofPath = { path: path.name, ...common, ill };
    proof.paths.push(proofPath);
    tell('pathStarted', proofPath, ill === null ? trialsOf(plan) : 0);
    if (!context || ill !== null) {
      total -= trialsOf(plan);
      return;
    }
    for (const { guard } of plan) {
      if (whyNotMet(guard, undefined, context) === undefined) applied.set(guard, (applied.get(guard) ?? 0) + 1);
    }
    await tryPlan(plan, context, turns, (trial) => {
      proof.trials.push(trial);
      tell('trial', trial, { done: proof.trials.length, total });
    });
  };

  try {
    for (const [provider, paths] of Map.groupBy(plans.keys(), ({ path }) => path.provider)) {
      options.signal.throwIfAborted();
      const started = await engines.of(provider);
      if (!started) {
        total -= trialsOf(paths.flatMap((selected) => plans.get(selected)!));
        continue;
      }
      const turns = new Turns(guardsAtOnce(provider, started.engine, options));
      // The next path fills the gaps that the end of one leaves.
      await sideBySide(
        paths.map((selected) => () => provePath(selected, started, turns)),
        2,
      );
    }
  } catch (error) {
    engineEnded = error instanceof EngineEnded;
    if (engineEnded) proof.interrupted = (error as EngineEnded).message;
    else if (error instanceof Interrupted || options.signal.aborted) proof.interrupted = interrupted;
    else throw error;
  } finally {
    await Promise.all(selection.pools.map((pool) => pool.end()));
    await engines.stop();
  }

  proof.guards = guardReports(plans, applied);
  proof.durationMs = Math.round(performance.now() - startedAt);
  concludeProof(proof, {
    interrupted: proof.interrupted === interrupted,
    engineMissing: engineEnded || (proof.absent.length > 0 && proof.engines.length === 0),
    idleCounts: options.only.length === 0,
  });
  for (const reporter of reporters) await reporter.finished?.(proof);
  return proof;
}

const interrupted = 'interrupted before all mutants had been tried';

function planOf({ path, guards }: SelectedPath, mutants: readonly Mutant[], { full, only }: ProveOptions): GuardPlan[] {
  return planPath(guards, mutantsOf(path.contract, mutants), { full, someMutants: only.length > 0 });
}

/** With `full` every control stands alone; else one subject behind all of them will do. */
function countTrials({ controls, aimed, others }: GuardPlan): number {
  return (others.length > 0 ? controls.length : Math.min(1, controls.length)) + aimed.length + others.length;
}

/** Tries what is planned on one path; what needs the engine for itself comes last. */
async function tryPlan(
  plan: readonly GuardPlan[],
  context: PathContext,
  turns: Turns,
  tell: (trial: Trial) => void,
): Promise<void> {
  let failed: unknown;
  const attempt: Attempt = (guard, mutant, make) => {
    const work = async () => {
      // Where one could not be tried at all, none can.
      if (failed) throw failed;
      context.options.signal.throwIfAborted();
      const trial = await make().catch((error: unknown) => {
        failed = error;
        throw error;
      });
      tell(trial);
      return trial;
    };
    // What never settles keeps nothing busy, and need not keep others waiting.
    const onlyWaits = mutant?.timeout !== undefined && mutant.target === guard.id && !guard.exclusive;
    return onlyWaits ? work() : turns.run(work, { alone: guard.exclusive });
  };
  for (const exclusive of [false, true]) {
    const guards = plan.filter(({ guard }) => guard.exclusive === exclusive);
    await allSettled(guards.map((guardPlan) => tryGuard(guardPlan, context, attempt)));
  }
}

/** Makes a trial when its turn has come. */
type Attempt = (guard: Guard, mutant: Mutant | undefined, make: () => Promise<Trial>) => Promise<Trial>;

/** First the controls: what a guard finds counts only if it lets them live. */
async function tryGuard({ guard, controls, aimed, others }: GuardPlan, context: PathContext, attempt: Attempt) {
  const groups = others.length > 0 ? controls.map((control) => [control]) : [controls];
  const controlled = await allSettled(
    groups.map((group) => attempt(guard, undefined, () => tryOne(guard, group, 'control', context))),
  );
  const broken = controlled.find(({ status }) => status !== 'spared');
  const meet = (mutant: Mutant, role: Trial['role']) =>
    attempt(guard, mutant, async () =>
      broken ? uncontrolled(guard, mutant, role, context, broken) : tryOne(guard, [mutant], role, context),
    );
  await allSettled([
    ...aimed.map((mutant) => meet(mutant, 'target')),
    ...others.map((mutant) => meet(mutant, 'other')),
  ]);
}

/** Runs work in order, so many at a time; waits for all, then throws the first error. */
async function sideBySide(work: readonly (() => Promise<void>)[], lanes: number): Promise<void> {
  const next = work[Symbol.iterator]();
  await allSettled(
    Array.from({ length: lanes }, async () => {
      // One iterator for all lanes: each takes what no other has taken.
      for (let item = next.next(); !item.done; item = next.next()) await item.value();
    }),
  );
}

function guardReports(plans: ReadonlyMap<SelectedPath, GuardPlan[]>, applied: ReadonlyMap<Guard, number>) {
  const guards = new Map(
    [...plans].flatMap(([{ path }, plan]) =>
      plan.map(({ guard, aimed }) => [guard, { contract: path.contract, aimed }]),
    ),
  );
  return [...guards].map(([guard, { contract, aimed }]) => {
    const applies = applied.get(guard) ?? 0;
    return {
      contract,
      guard: guard.id,
      level: guard.level,
      mutants: aimed.map(({ id }) => id),
      applies,
      idle: applies > 0 && aimed.length === 0,
    };
  });
}

function blankProof(options: ProveOptions, mutants: readonly Mutant[], engines: EngineSet): Proof {
  return {
    version: packageVersion(),
    clauses: clauseSet,
    seed: options.seed,
    full: options.full,
    durationMs: 0,
    engines: engines.reports,
    absent: engines.absent,
    paths: [],
    guards: [],
    mutants: mutants.map(({ id, lie, target, expects, only = null, control }) => ({
      mutant: id,
      lie,
      target,
      expects,
      only,
      control,
    })),
    trials: [],
    inertEverywhere: [],
    killed: { of: 0, killed: 0 },
    summary: {} as Proof['summary'],
    exitCode: 5,
    interrupted: null,
  };
}

function listeners(reporters: readonly ProofReporter[]) {
  return <E extends Exclude<keyof ProofEvents, 'finished'>>(event: E, ...args: Parameters<ProofEvents[E]>): void => {
    for (const reporter of reporters)
      (reporter[event] as ((...a: Parameters<ProofEvents[E]>) => void) | undefined)?.(...args);
  };
}
