import type { Verdict } from '../runner/report.ts';

/** What kept a guard from being judged: a setup guard, or a check of doctor; undefined for one that was judged. */
export function whyNotJudged(verdict: Verdict): string | undefined {
  if (verdict.verdict !== 'vacuous') return undefined;
  return /^not judged: (.*) did not hold$/s.exec(verdict.reason ?? '')?.[1];
}

/** Whether a verdict has something to tell beyond its count. */
export function isFinding(verdict: Verdict): boolean {
  if (whyNotJudged(verdict) !== undefined) return false;
  return verdict.verdict !== 'upheld' && verdict.verdict !== 'not-applicable';
}
