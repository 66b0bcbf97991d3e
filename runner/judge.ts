import type { Declaration, EngineFacts, NotApplicableReason } from '../contracts/kernel/capabilities.ts';
import { whyNotApplicable } from '../contracts/kernel/capabilities.ts';
import { LeftLocked } from '../contracts/kernel/engine.ts';
import { type Bench, type Guard, NotApplicable, Vacuous, Violation } from '../contracts/kernel/guard.ts';
import { spoils } from '../contracts/kernel/mutant.ts';
import { loadMutants, pickMutants } from '../host/spoil.ts';
import type { Engine } from '../providers/provider.ts';
import { Enough, GuardBench } from './bench.ts';
import { Deadline, DeadlinePassed, Interrupted } from './deadline.ts';
import { mustLive } from './engines.ts';
import type { HostPool } from './host-pool.ts';
import type { EnginePath } from './path.ts';
import { replayLine } from './replay.ts';
import type { PathReport, Report, Verdict } from './report.ts';
import { SubjectDied } from './rigs.ts';
import type { RunOptions } from './run-options.ts';

/** Everything about one engine path that its guards share. */
export interface PathContext {
  path: EnginePath;
  engine: Engine;
  facts: EngineFacts;
  declaration: Declaration;
  pool: HostPool;
  options: RunOptions;
  /** Set once a subject of this path had to be ended because it did not settle. */
  hung: boolean;
  counts: Report['counts'];
  console: PathReport['console'];
  /** A guard ends at its first violation, and shrinks nothing: enough to know that it can be violated. */
  firstOnly?: boolean;
}

/** What a guard decided, and what became of the mutants that spoiled its subjects. */
export interface Judged {
  verdict: Verdict;
  /** How often they lied, as far as could be asked. */
  lies: number;
  /** The guard was not through when its time was up, and no single call of the subject was the reason. */
  timedOut: boolean;
}

/** What a guard gets on a path where a subject hung before: enough to see that it hangs again. */
const afterHang = 2000;

/** Runs one guard on one path and decides. Rejects only with `Interrupted`, or with `EngineEnded`. */
export async function judge(guard: Guard, context: PathContext): Promise<Verdict> {
  return (await judgeSpoiled(guard, context)).verdict;
}

/** Judges as `judge` does, and tells how the mutants of `options.mutants` fared. */
export async function judgeSpoiled(guard: Guard, context: PathContext): Promise<Judged> {
  const startedAt = performance.now();
  const verdict = blankVerdict(guard, context.path);
  const reason = whyNotHere(guard, context);
  if (reason) return { verdict: notApplicable(verdict, reason), lies: 0, timedOut: false };

  const { options } = context;
  const named = options.mutants.length === 0 ? [] : pickMutants(await loadMutants(), options.mutants);
  const mutants = named.filter((mutant) => spoils(mutant, context.path.contract));
  const limit = context.hung ? Math.min(options.timeout, afterHang) : options.timeout;
  // Other guards have calls that rightly take longer.
  const callWithin = mutants.find(({ target }) => target === guard.id)?.timeout;
  const deadline = new Deadline(limit, options.signal, callWithin);
  const bench = new GuardBench({
    ...context,
    ...options,
    mutants: mutants.filter((mutant) => !mutant.bench).map(({ id }) => id),
    guard: guard.id,
    deadline,
    replay: parseReplay(options.replay),
  });
  let setupLies = 0;
  const spoiled = mutants.reduce<Bench>((inner, mutant) => mutant.bench?.(inner, () => setupLies++) ?? inner, bench);
  const sound = await check(guard, bench, spoiled, deadline, verdict, context);
  noteConsole(context.console, bench.rigs.console());
  await bench.rigs.end(sound).catch((error) => record(error, verdict, bench, context, limit));
  deadline.end();
  if (options.signal.aborted) throw new Interrupted();

  settle(verdict, guard, bench, options);
  const held = verdict.verdict === 'upheld' || verdict.verdict === 'not-applicable';
  if (!held) await mustLive(context.engine, context.path.mode);
  context.counts.cases += Math.max(1, bench.cases.filter((c) => c.verdict !== 'not-applicable').length);
  context.counts.generated += bench.generated;
  context.counts.items += bench.rigs.items;
  verdict.durationMs = Math.round(performance.now() - startedAt);
  return { verdict, lies: bench.rigs.lies + setupLies, timedOut: verdict.verdict === 'error' && bench.tooSlow };
}

/** Runs the guard's check to its end or to the deadline; whether its hosts can be used again. */
async function check(
  guard: Guard,
  bench: GuardBench,
  spoiled: Bench,
  deadline: Deadline,
  verdict: Verdict,
  context: PathContext,
): Promise<boolean> {
  const checking = guard.check(spoiled);
  try {
    await deadline.race(checking);
    await bench.rigs.mustBeQuiet();
    return true;
  } catch (error) {
    // What was seen from inside a host goes with the host.
    if (bench.tracer) await deadline.race(bench.tracer.stop()).catch(() => {});
    const sound = await record(error, verdict, bench, context, deadline.callWithin ?? deadline.milliseconds);
    if (!sound) await bench.rigs.abandon();
    // The check may still wait for a host; now that it has ended, so does the check.
    await checking.catch(() => {});
    return sound;
  }
}

/** Enters what ended the guard early; whether its hosts can still be used. */
async function record(
  error: unknown,
  verdict: Verdict,
  bench: GuardBench,
  context: PathContext,
  limit: number,
): Promise<boolean> {
  if (error instanceof NotApplicable) {
    notApplicable(verdict, { by: error.by, reason: error.message });
    return true;
  }
  if (error instanceof Vacuous) {
    verdict.verdict = 'vacuous';
    verdict.reason = error.message;
    return true;
  }
  if (error instanceof Enough) return true;
  if (error instanceof Violation) {
    bench.found(error);
    // Hosts are slow to start; one whose subject broke a rule can serve again, unless it died.
    return context.firstOnly === true && !(error instanceof SubjectDied);
  }
  if (error instanceof LeftLocked) bench.found(new Violation(error.message));
  else if (error instanceof DeadlinePassed) {
    const violation = await hang(bench, limit);
    if (violation) bench.found(violation);
    else if (context.hung) {
      verdict.verdict = 'vacuous';
      verdict.reason = `a subject of this path hung before, so this guard had ${limit / 1000} s, and did not end in them`;
    } else {
      bench.tooSlow = true;
      fail(verdict, bench, tooSlow(bench, limit));
    }
    if (violation) context.hung = true;
  } else if (!(error instanceof Interrupted)) fail(verdict, bench, error);
  return false;
}

/** What the deadline says of the subject, if it is one call of the subject that took the guard's time. */
async function hang(bench: GuardBench, limit: number): Promise<Violation | undefined> {
  const stuck = await bench.rigs.areStuck(limit);
  // Read only now: what waited for the subject hears of the deadline after the guard as a whole.
  const { unanswered } = bench.rigs;
  if (!stuck && (unanswered?.waited ?? 0) < limit / 2) return undefined;
  const how = stuck ? 'its thread answers no more: a loop without end?' : 'its promise is still open';
  if (!unanswered) return new Violation(`the subject does not let the guard end within ${limit / 1000} s: ${how}`);
  const seconds = (unanswered.waited / 1000).toFixed(1);
  return new Violation(
    `${unanswered.what} did not settle: after ${seconds} s (the guard has ${limit / 1000} s) it was still running, and ${how}`,
  );
}

/** Many calls that took the guard's time together are no fault of the subject. */
function tooSlow(bench: GuardBench, limit: number): Error {
  const at = bench.rigs.unanswered ? ` (${bench.rigs.unanswered.what})` : '';
  return new Error(`the guard was not through within ${limit / 1000} s${at}: give it more by --timeout`);
}

/** The harness failed; only the first time counts. */
function fail(verdict: Verdict, bench: GuardBench, error: unknown): void {
  if (verdict.verdict === 'error') return;
  verdict.verdict = 'error';
  verdict.case = bench.currentCase;
  verdict.message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Beside the verdict, not in it: no report carries it, but `--debug` shows it.
  if (error instanceof Error) Object.defineProperty(verdict, 'stack', { value: error.stack, enumerable: false });
}

/** Turns what was found into the verdict: a violation outweighs all; missing evidence makes the rest vacuous. */
function settle(verdict: Verdict, guard: Guard, bench: GuardBench, options: RunOptions): void {
  verdict.cases = bench.cases;
  verdict.evidence = bench.ledger.evidence;
  const first = bench.violations[0];
  if (first) {
    verdict.verdict = 'violated';
    verdict.case = first.case;
    verdict.message = first.violation.message;
    verdict.counterexample = first.violation.counterexample ?? null;
    verdict.reason = null;
    verdict.by = null;
    verdict.trace = bench.tracer?.lines ?? null;
    verdict.replay = replayLine(verdict, options, first.replay);
    return;
  }
  if (verdict.verdict === 'error') {
    verdict.trace = bench.tracer?.lines ?? null;
    verdict.replay = replayLine(verdict, options, verdict.case);
    return;
  }
  if (verdict.verdict === 'not-applicable') return;
  if (options.replay !== null && bench.cases.length === 0) {
    const cases = bench.known.length > 0 ? `its cases are ${[...new Set(bench.known)].join(', ')}` : 'it has no cases';
    verdict.verdict = 'vacuous';
    verdict.reason = `no case of the guard is called ${options.replay.split('@')[0]}; ${cases}`;
    return;
  }
  const leftOut = bench.cases.find((c) => c.verdict === 'not-applicable');
  if (options.replay !== null && leftOut) {
    notApplicable(verdict, { by: 'engine', reason: `${leftOut.name} is left out here: ${leftOut.reason}` });
    return;
  }
  if (verdict.verdict === 'vacuous') {
    verdict.replay = replayLine(verdict, options, null);
    return;
  }
  // One case alone cannot bring all the evidence that the whole guard owes.
  const missing = options.replay === null ? bench.ledger.missing(guard.proves) : [];
  if (missing.length === 0) return;
  verdict.verdict = 'vacuous';
  verdict.reason = `no evidence of: ${missing.join(', ')}`;
  verdict.replay = replayLine(verdict, options, null);
}

/** Adds what a guard's subjects wrote; of the text only the beginning is kept. */
function noteConsole(all: PathReport['console'], more: PathReport['console']): void {
  all.bytes += more.bytes;
  all.text = (all.text + more.text).slice(0, 4096);
}

/** Why a guard is not judged on a path, or undefined when it is. */
export function whyNotHere(guard: Guard, context: PathContext): NotApplicableReason | undefined {
  const { path, options, declaration, facts } = context;
  if (guard.needsThread && options.host === 'inline') {
    return { by: 'host', reason: 'needs two threads; the inline host has one (run with --host worker)' };
  }
  if (guard.onceForVariant && path.firstOfVariant !== path.name) {
    return {
      by: 'run',
      reason: `takes long, and is about the variant whatever the mode: judged on ${path.firstOfVariant}`,
    };
  }
  return whyNotApplicable(guard.needs, declaration, facts);
}

function notApplicable(verdict: Verdict, { by, reason }: NotApplicableReason): Verdict {
  verdict.verdict = 'not-applicable';
  verdict.by = by;
  verdict.reason = reason;
  return verdict;
}

/** A verdict that nothing speaks against yet. */
export function blankVerdict(guard: Guard, path: EnginePath): Verdict {
  return {
    guard: guard.id,
    level: guard.level,
    statement: guard.statement,
    contract: path.contract,
    backend: path.backend,
    provider: path.provider.name,
    mode: path.mode,
    variant: path.variant,
    path: path.name,
    verdict: 'upheld',
    case: null,
    cases: [],
    message: null,
    counterexample: null,
    trace: null,
    evidence: {},
    replay: null,
    reason: null,
    by: null,
    durationMs: 0,
  };
}

function parseReplay(replay: string | null): { case: string; path: string | undefined } | null {
  if (replay === null) return null;
  const at = replay.indexOf('@');
  return at < 0 ? { case: replay, path: undefined } : { case: replay.slice(0, at), path: replay.slice(at + 1) };
}
