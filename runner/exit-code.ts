import { contracts } from '../contracts/index.ts';
import type { EngineReport, Summary, Verdict } from './report.ts';

/** What each exit code of a run means; the first that applies, in this order, is taken. */
export const exitCodes = {
  130: 'interrupted',
  2: 'wrong usage or configuration',
  4: 'an engine that was asked for could not be had, or ended during the run',
  5: 'the harness failed',
  1: 'a must clause is violated',
  3: 'nothing is proven: a guard was vacuous, setup or doctor failed, or no must guard applied',
  0: 'every clause that applies is upheld',
} as const;
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/** The exit code that verdicts lead to. */
export function exitCodeOf(
  verdicts: readonly Verdict[],
  engines: readonly EngineReport[],
  o: { strict: boolean; interrupted: boolean; engineMissing: boolean },
): ExitCode {
  if (o.interrupted) return 130;
  if (o.engineMissing) return 4;
  if (verdicts.some((v) => v.verdict === 'error')) return 5;
  const counts = (v: Verdict) => v.level === 'must' || o.strict;
  if (verdicts.some((v) => v.verdict === 'violated' && counts(v) && !isFoundation(v.guard))) return 1;
  const doctorFailed = engines.some((engine) => engine.doctor.some((check) => !check.ok));
  const unproven = verdicts.some((v) => v.verdict === 'vacuous' || (v.verdict === 'violated' && isFoundation(v.guard)));
  const proven = verdicts.some((v) => v.verdict === 'upheld' && v.level === 'must' && !v.guard.startsWith('setup/'));
  if (doctorFailed || unproven || !(proven || onlySetup(verdicts))) return 3;
  return 0;
}

function isFoundation(id: string): boolean {
  return contracts.some((c) => c.guards.some((g) => g.id === id && g.foundation));
}

/** A run that was told to run setup guards alone proves what it was asked to prove. */
function onlySetup(verdicts: readonly Verdict[]): boolean {
  return (
    verdicts.length > 0 &&
    verdicts.every((v) => v.guard.startsWith('setup/')) &&
    verdicts.some((v) => v.verdict === 'upheld')
  );
}

export function summarize(verdicts: readonly Verdict[]): Summary {
  const count = (verdict: Verdict['verdict']) => verdicts.filter((v) => v.verdict === verdict).length;
  return {
    upheld: count('upheld'),
    violated: count('violated'),
    vacuous: count('vacuous'),
    notApplicable: count('not-applicable'),
    error: count('error'),
    total: verdicts.length,
  };
}
