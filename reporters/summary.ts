import type { Report, Verdict } from '../runner/report.ts';
import { renderAbsent } from './engine.ts';
import { whyExit } from './exit-codes.ts';
import { whyNotJudged } from './judged.ts';
import { paint, type Style, type Terminal } from './terminal.ts';
import { counted, duration, grouped, paragraph, visible } from './text.ts';

/** The end of a report: how many guards were upheld, what became of the others, and what the exit code means. */
export function renderSummary(report: Report, terminal: Terminal): string[] {
  return [
    ...notApplicableLines(report.verdicts, terminal),
    ...leftOutLines(report.verdicts, terminal),
    ...keptLines(report, terminal),
    ...absentLines(report, terminal),
    ...resultLines(report, terminal),
  ];
}

/** How many namespaces `--keep` left in place, and where. */
function keptLines(report: Report, terminal: Terminal): string[] {
  const places = Map.groupBy(
    report.engines.flatMap((engine) => engine.kept),
    ({ where }) => where,
  );
  const lines = [...places].flatMap(([where, kept]) =>
    paragraph('kept    ', visible(`${counted(kept.length, 'namespace')} in ${where}`, terminal), terminal.width),
  );
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Engines that nothing was judged on, once more where the sums are read. */
function absentLines({ absent }: Report, terminal: Terminal): string[] {
  return absent.length === 0 ? [] : [...absent.flatMap((engine) => renderAbsent(engine, terminal)), ''];
}

/** Guards that do not apply, counted by reason, and the reasons by whose they are. */
function notApplicableLines(verdicts: Verdict[], terminal: Terminal): string[] {
  const groups = [
    ['backend', 'the backend lacks it'],
    ['engine', 'the engine has no means'],
    ['host', 'this host cannot judge it'],
    ['run', 'judged elsewhere in this run'],
  ] as const;
  const lines = groups.flatMap(([by, words]) => {
    const reasons = countReasons(verdicts.filter((v) => v.verdict === 'not-applicable' && (v.by ?? 'backend') === by));
    if (reasons.length === 0) return [];
    const total = reasons.reduce((sum, [, n]) => sum + n, 0);
    const width = String(reasons[0]![1]).length + 2;
    return [
      paint(terminal, 'dim', `${counted(total, 'guard')} not applicable: ${words}`),
      ...reasons.flatMap(([reason, n]) =>
        paragraph(`${String(n).padStart(width)}  `, visible(reason, terminal), terminal.width),
      ),
    ];
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Cases that were left out of guards that were judged: for each reason, which. */
function leftOutLines(verdicts: Verdict[], terminal: Terminal): string[] {
  const judged = verdicts.filter(({ verdict }) => verdict !== 'not-applicable');
  const leftOut = judged.flatMap(({ cases }) => cases.filter((c) => c.verdict === 'not-applicable'));
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason ?? 'no reason was given');
  const lines = [...byReason].flatMap(([reason, cases]) => {
    const names = [...new Set(cases.map(({ name }) => name))].join(', ');
    return paragraph('left out: ', visible(`${names} (${reason})`, terminal), terminal.width);
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

function countReasons(verdicts: Verdict[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { reason } of verdicts) {
    const key = reason ?? 'no reason was given';
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function resultLines(report: Report, terminal: Terminal): string[] {
  const { summary, counts } = report;
  const paths = new Set(report.paths.map((p) => `${p.backend} ${p.path}`)).size;
  const upheld = `${grouped(summary.upheld)} of ${counted(summary.total, 'guard')} upheld on ${counted(paths, 'path')}`;
  const work = `${counted(counts.cases, 'case')}, ${counted(counts.generated, 'generated input')}`;
  const times = `seed ${report.seed}, clause set ${report.clauses}, ${duration(report.durationMs)}`;
  const first = report.firstVerdictMs === null ? '' : ` (first verdict after ${duration(report.firstVerdictMs)})`;
  return [
    ...painted('bold', paragraph('', upheld, terminal.width), terminal),
    ...otherVerdicts(report, terminal),
    ...paragraph('', `${work}, ${counted(counts.items, 'item')}`, terminal.width),
    ...paragraph('', times + first, terminal.width),
    ...painted(
      report.exitCode === 0 ? 'green' : 'red',
      paragraph(`exit code ${report.exitCode}: `, visible(whyExit(report), terminal), terminal.width),
      terminal,
    ),
  ];
}

/** The count of every verdict but upheld; what did not occur is left out. */
function otherVerdicts(report: Report, terminal: Terminal): string[] {
  const { summary, verdicts } = report;
  const notJudged = verdicts.filter((v) => whyNotJudged(v) !== undefined).length;
  const should = verdicts.filter((v) => v.verdict === 'violated' && v.level === 'should').length;
  const counts: [number, string][] = [
    [summary.violated - should, 'violated'],
    [should, `should ${should === 1 ? 'clause' : 'clauses'} violated`],
    [summary.vacuous - notJudged, 'vacuous'],
    [summary.error, 'failed in the harness'],
    [summary.notApplicable, 'not applicable'],
    [notJudged, 'not judged'],
  ];
  const parts = counts.filter(([n]) => n > 0).map(([n, words]) => `${grouped(n)} ${words}`);
  return parts.length === 0 ? [] : paragraph('', parts.join(', '), terminal.width);
}

function painted(style: Style, lines: string[], terminal: Terminal): string[] {
  return lines.map((line) => paint(terminal, style, line));
}
