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
  /** A clock in milliseconds; tests bring their own. */
  now?: () => number;
}

/** The path that is being judged. */
interface Current {
  guards: number;
  verdicts: Verdict[];
  startedAt: number;
}

/** The report for people: what happens, as it happens, then every finding in full and the sums. */
export function consoleReporter(stream: Writable, terminal: Terminal, options: ConsoleOptions): Reporter {
  const now = options.now ?? (() => performance.now());
  const out = new LiveLine(stream, terminal);
  let current: Current | undefined;
  let begun = false;
  const beginning = [`seed    ${options.seed}`];

  function endPath(): void {
    out.clear();
    if (current) out.print(renderPathEnd(current.verdicts, current.guards, now() - current.startedAt, terminal));
    current = undefined;
  }

  return {
    engineStarted(engine: EngineReport) {
      endPath();
      out.print([...(begun ? [''] : beginning), ...renderEngine(engine, terminal)]);
      begun = true;
    },

    engineAbsent(engine: AbsentEngine) {
      endPath();
      out.print([...(begun ? [''] : beginning), ...renderAbsent(engine, terminal)]);
      begun = true;
    },

    pathStarted(path, guards) {
      endPath();
      current = { guards, verdicts: [], startedAt: now() };
      out.print(['', ...renderPathStart(path, guards, terminal)]);
    },

    verdict(verdict) {
      if (!current) return;
      current.verdicts.push(verdict);
      if (isFinding(verdict)) out.print([renderVerdictLine(verdict, terminal, options.strict)]);
      out.show(`  ${current.verdicts.length} of ${current.guards}  ${verdict.guard}`);
      if (current.verdicts.length === current.guards) endPath();
    },

    finished(report) {
      endPath();
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
