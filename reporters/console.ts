import type { Writable } from 'node:stream';
import type { AbsentEngine, EngineReport, Report, Reporter, Verdict } from '../runner/report.ts';
import { renderAbsent, renderEngine } from './engine.ts';
import { renderFinding } from './finding.ts';
import { isFinding } from './judged.ts';
import { LiveLine } from './live.ts';
import { renderConsoleNote, renderPathEnd, renderPathStart, renderVerdictLine } from './path.ts';
import { renderSummary } from './summary.ts';
import { paint, sign, type Terminal } from './terminal.ts';

export interface ConsoleOptions {
  /** Should clauses count like must clauses. */
  strict: boolean;
  /** Prints all that subjects wrote to the console instead of the first line, and the stacks of harness errors. */
  debug: boolean;
  /** Printed before anything is judged, so that it is known even of a run that never ends. */
  seed: number;
  /** Mutants that spoil every subject. */
  mutants?: readonly string[];
  /** A clock in milliseconds; tests bring their own. */
  now?: () => number;
}

/** A path that is being judged. */
interface Judging {
  path: string;
  guards: number;
  verdicts: Verdict[];
  startedAt: number;
  /** What is to be said of it once the paths that began before it have ended. */
  held: string[];
  ended: boolean;
}

/** The report for people: what happens, as it happens, then every finding in full and the sums. */
export function consoleReporter(stream: Writable, terminal: Terminal, options: ConsoleOptions): Reporter {
  const now = options.now ?? (() => performance.now());
  const out = new LiveLine(stream, terminal);
  /** In the order in which they began: the first is told of as it goes on, the others after it. */
  const judging: Judging[] = [];
  let begun = false;
  const beginning = [
    `seed    ${options.seed}`,
    ...(options.mutants ?? []).map((mutant) => paint(terminal, 'yellow', `mutant  ${mutant}`)),
  ];

  function say(of: Judging, lines: string[]): void {
    if (of === judging[0]) out.print(lines);
    else of.held.push(...lines);
  }

  function end(of: Judging): void {
    out.clear();
    const { guards, startedAt } = of;
    say(of, renderPathEnd(of.verdicts, { guards, ms: now() - startedAt, strict: options.strict }, terminal));
    of.ended = true;
    while (judging[0]?.ended) {
      judging.shift();
      if (judging[0]) out.print(judging[0].held.splice(0));
    }
  }

  function engine(lines: string[]): void {
    out.clear();
    out.print([...(begun ? [''] : beginning), ...lines]);
    begun = true;
  }

  return {
    engineStarted: (report: EngineReport) => engine(renderEngine(report, terminal)),

    engineAbsent: (absent: AbsentEngine) => engine(renderAbsent(absent, terminal)),

    pathStarted(path, guards) {
      out.clear();
      const started = { path: path.path, guards, verdicts: [], startedAt: now(), held: [], ended: false };
      judging.push(started);
      say(started, ['', ...renderPathStart(path, guards, terminal)]);
    },

    verdict(verdict, { done, total }) {
      const of = judging.find(({ path }) => path === verdict.path);
      if (!of) return;
      of.verdicts.push(verdict);
      if (isFinding(verdict)) say(of, renderVerdictLine(verdict, terminal, options.strict));
      out.show(`  ${done} of ${total}  ${verdict.guard}`);
      if (of.verdicts.length === of.guards) end(of);
    },

    finished(report) {
      // A run that was interrupted ends in the middle of its paths.
      for (const of of [...judging]) if (!of.ended) end(of);
      out.clear();
      out.print(renderFindings(report, terminal, options));
      const notes = report.paths.flatMap((path) => renderConsoleNote(path, terminal, options.debug));
      if (notes.length > 0) out.print(['', ...notes]);
      out.print(['', ...renderSummary(report, terminal)]);
    },
  };
}

function renderFindings(report: Report, terminal: Terminal, options: ConsoleOptions): string[] {
  const groups = groupAlike(report.verdicts.filter(isFinding).sort((a, b) => weight(a) - weight(b)));
  return groups.flatMap(([first, ...others], i) => {
    const paths = others.map((verdict) => verdict.path);
    const finding = renderFinding(first, paths, terminal, options);
    return ['', ruleLine(`finding ${i + 1} of ${groups.length}`, terminal), ...finding];
  });
}

type Group = [Verdict, ...Verdict[]];

/** Puts together what one guard found alike on several paths of a backend. */
function groupAlike(verdicts: Verdict[]): Group[] {
  const groups = new Map<string, Group>();
  for (const v of verdicts) {
    const key = JSON.stringify([v.backend, v.guard, v.verdict, v.case, v.message, v.reason]);
    const group = groups.get(key);
    if (group) group.push(v);
    else groups.set(key, [v]);
  }
  return [...groups.values()];
}

/** What weighs most comes first. */
function weight(verdict: Verdict): number {
  const order =
    verdict.level === 'must' ? ['violated', 'error', 'vacuous'] : ['', '', '', 'violated', 'error', 'vacuous'];
  return order.indexOf(verdict.verdict);
}

function ruleLine(title: string, terminal: Terminal): string {
  const dash = sign(terminal, 'rule');
  const head = `${dash.repeat(2)} ${title} `;
  return paint(terminal, 'dim', head + dash.repeat(Math.max(0, terminal.width - head.length)));
}
