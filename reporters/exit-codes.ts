import type { Report } from '../runner/report.ts';

/** What each exit code says; the first that applies is given, in this order. */
export const exitCodes: readonly { code: number; meaning: string }[] = [
  { code: 130, meaning: 'interrupted' },
  { code: 2, meaning: 'wrong usage or configuration; a filter that matches nothing, too' },
  { code: 4, meaning: 'an engine that was asked for could not be had, or ended during the run' },
  { code: 5, meaning: 'the harness itself failed' },
  { code: 1, meaning: 'a must clause is violated (with --strict, a should clause, too)' },
  { code: 3, meaning: 'nothing proven: a vacuous guard, no must guard that applies, or doctor failed' },
  { code: 0, meaning: 'every guard that applies is upheld; warnings do not count' },
];

/** Why this very report has its exit code, in words. */
export function whyExit(report: Report): string {
  const { summary, verdicts, exitCode } = report;
  const mustBroken = verdicts.some((v) => v.verdict === 'violated' && v.level === 'must');
  switch (exitCode) {
    case 0:
      return summary.violated > 0 ? 'every must guard that applies is upheld' : 'every guard that applies is upheld';
    case 1:
      return mustBroken ? 'a must clause is violated' : 'a should clause is violated, and --strict makes it count';
    case 3:
      return `nothing proven: ${whyNothingProven(report)}`;
    case 4:
      return report.interrupted ?? 'no engine could be had, so nothing was judged';
    case 5:
      return 'the harness itself failed';
    case 130:
      return report.interrupted ?? 'interrupted';
    default:
      return exitCodes.find((e) => e.code === exitCode)?.meaning ?? 'no meaning is known';
  }
}

function whyNothingProven(report: Report): string {
  if (report.engines.some((engine) => engine.doctor.some((check) => !check.ok))) return 'doctor failed';
  const setup = report.verdicts.filter((v) => v.guard.startsWith('setup/'));
  if (setup.some((v) => v.verdict === 'violated')) return 'setup did not hold';
  if (report.summary.vacuous > 0) return 'a guard did not see what it must have seen';
  return 'no must guard applies';
}
