import type { Declaration, EngineFacts, NotApplicableReason } from '../contracts/kernel/capabilities.ts';
import { whyNotApplicable } from '../contracts/kernel/capabilities.ts';
import { LeftLocked } from '../contracts/kernel/engine.ts';
import { type Guard, NotApplicable, Vacuous, Violation } from '../contracts/kernel/guard.ts';
import type { Engine } from '../providers/provider.ts';
import { GuardBench } from './bench.ts';
import { Deadline, DeadlinePassed, Interrupted } from './deadline.ts';
import type { HostPool } from './host-pool.ts';
import type { EnginePath } from './path.ts';
import { replayLine } from './replay.ts';
import type { PathReport, Report, Verdict } from './report.ts';
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
}

/** What a guard gets on a path where a subject hung before: enough to see that it hangs again. */
const afterHang = 2000;

/** Runs one guard on one path and decides. Rejects only with `Interrupted`. */
export async function judge(guard: Guard, context: PathContext): Promise<Verdict> {
  const startedAt = performance.now();
  const verdict = blankVerdict(guard, context.path);
  const reason = hostReason(guard, context) ?? whyNotApplicable(guard.needs, context.declaration, context.facts);
  if (reason) return notApplicable(verdict, reason);

  const { options } = context;
  const limit = context.hung ? Math.min(options.timeout, afterHang) : options.timeout;
  const deadline = new Deadline(limit, options.signal);
  const bench = new GuardBench({
    ...context,
    ...options,
    guard: guard.id,
    deadline,
    replay: parseReplay(options.replay),
  });
  let sound = true;
  try {
    await guard.check(bench);
    for (const stray of await bench.strays()) throw new Violation(`the subject threw outside any promise: ${stray}`);
  } catch (error) {
    sound = !(await record(error, verdict, bench, context, limit));
  }
  noteConsole(context.console, bench.console());
  await bench.end(sound).catch((error) => record(error, verdict, bench, context, limit));
  deadline.end();
  if (options.signal.aborted) throw new Interrupted();

  settle(verdict, guard, bench, options);
  context.counts.cases += Math.max(1, bench.tally.cases.length);
  context.counts.generated += bench.tally.generated;
  context.counts.items += bench.tally.items;
  verdict.durationMs = Math.round(performance.now() - startedAt);
  return verdict;
}

/** Enters what ended the guard early; true when its hosts can no longer be trusted. */
async function record(
  error: unknown,
  verdict: Verdict,
  bench: GuardBench,
  context: PathContext,
  limit: number,
): Promise<boolean> {
  if (error instanceof NotApplicable) {
    if (bench.tally.violations.length === 0) notApplicable(verdict, { by: error.by, reason: error.message });
    return false;
  }
  if (error instanceof Vacuous) {
    verdict.verdict = 'vacuous';
    verdict.reason = error.message;
    return false;
  }
  if (error instanceof Violation || error instanceof LeftLocked) {
    const violation = error instanceof Violation ? error : new Violation(error.message);
    bench.tally.violations.push({ case: bench.currentCase, replay: bench.currentCase, violation });
    return true;
  }
  if (error instanceof DeadlinePassed && bench.pending) {
    const { what, since } = bench.pending;
    const stuck = await bench.isStuck();
    context.hung = true;
    const how = stuck ? 'and its thread answers no more: a loop without end?' : 'and its promise is still open';
    const waited = ((performance.now() - since) / 1000).toFixed(1);
    const violation = new Violation(
      `${what} did not settle: after ${waited} s (the guard has ${limit / 1000} s) it was still running, ${how}`,
    );
    bench.tally.violations.push({ case: bench.currentCase, replay: bench.currentCase, violation });
    return true;
  }
  if (error instanceof Interrupted || verdict.verdict === 'error') return true;
  verdict.verdict = 'error';
  verdict.case = bench.currentCase;
  verdict.message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof Error) Object.defineProperty(verdict, 'stack', { value: error.stack, enumerable: false });
  return true;
}

/** Turns what was found into the verdict: a violation outweighs all; missing evidence makes the rest vacuous. */
function settle(verdict: Verdict, guard: Guard, bench: GuardBench, options: RunOptions): void {
  verdict.cases = bench.tally.cases;
  verdict.evidence = bench.ledger.evidence;
  const first = bench.tally.violations[0];
  if (first) {
    verdict.verdict = 'violated';
    verdict.case = first.case;
    verdict.message = first.violation.message;
    verdict.counterexample = first.violation.counterexample ?? null;
    verdict.reason = null;
    verdict.by = null;
    verdict.replay = replayLine(verdict, options, first.replay);
    return;
  }
  if (verdict.verdict === 'error') {
    verdict.replay = replayLine(verdict, options, verdict.case);
    return;
  }
  if (verdict.verdict === 'not-applicable') return;
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

function hostReason(guard: Guard, context: PathContext): NotApplicableReason | undefined {
  if (!guard.needsThread || context.options.host !== 'inline') return undefined;
  return { by: 'host', reason: 'needs two threads; the inline host has one (run with --host worker)' };
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
