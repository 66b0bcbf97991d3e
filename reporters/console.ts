import type { Writable } from 'node:stream';
import type { EngineReport, PathReport, Report, Reporter, Verdict } from '../runner/report.ts';
import { renderEngine } from './engine.ts';
import { renderFinding } from './finding.ts';
import { LiveLine } from './live.ts';
import { renderConsoleNote, renderPathAgain, renderPathEnd, renderPathStart, renderVerdictLine } from './path.ts';
import { renderSummary } from './summary.ts';
import { paint, sign, type Terminal } from './terminal.ts';

export interface ConsoleOptions {
  /** Should clauses count like must clauses. */
  strict: boolean;
  /** Prints all that subjects wrote to the console instead of the first line, and the stacks of harness errors. */
  debug: boolean;
  /** A clock in milliseconds; tests bring their own. */
  now?: () => number;
}

interface PathState {
  path: PathReport;
  guards: number;
  verdicts: Verdict[];
  startedAt: number;
  ended: boolean;
}

/** The report for people: what happens, as it happens, then every finding in full and the sums. */
export function consoleReporter(stream: Writable, terminal: Terminal, options: ConsoleOptions): Reporter {
  const now = options.now ?? (() => performance.now());
  const out = new LiveLine(stream, terminal);
  const paths = new Map<string, PathState>();
  /** The path whose heading was printed last, so that lines of paths that run side by side are not mixed up. */
  let printed = '';

  function under(state: PathState, lines: string[]): void {
    const key = keyOf(state.path);
    if (printed !== key) out.print(['', ...renderPathAgain(state.path, terminal)]);
    printed = key;
    out.print(lines);
  }

  function end(state: PathState): void {
    if (state.ended) return;
    state.ended = true;
    out.clear();
    const ms = now() - state.startedAt;
    under(state, renderPathEnd(state.verdicts, state.guards, ms, terminal));
  }

  return {
    engineStarted(engine: EngineReport) {
      out.print(renderEngine(engine, terminal));
    },

    pathStarted(path, guards) {
      const state = { path, guards, verdicts: [], startedAt: now(), ended: false };
      paths.set(keyOf(path), state);
      printed = keyOf(path);
      out.print(['', ...renderPathStart(path, guards, terminal)]);
    },

    verdict(verdict) {
      const state = paths.get(keyOf(verdict));
      if (!state) return;
      state.verdicts.push(verdict);
      if (isFinding(verdict)) under(state, [renderVerdictLine(verdict, terminal, options.strict)]);
      out.show(`  ${state.verdicts.length} of ${state.guards}  ${verdict.guard}`);
      if (state.verdicts.length === state.guards) end(state);
    },

    finished(report) {
      out.clear();
      for (const state of paths.values()) end(state);
      out.print(renderFindings(report, terminal, options));
      const notes = report.paths.flatMap((path) => renderConsoleNote(path, terminal, options.debug));
      if (notes.length > 0) out.print(['', ...notes]);
      out.print(['', ...renderSummary(report, terminal)]);
    },
  };
}

/** Whether a verdict has something to tell beyond its count. */
function isFinding(verdict: Verdict): boolean {
  return verdict.verdict !== 'upheld' && verdict.verdict !== 'not-applicable';
}

function keyOf(of: { path: string; contract: string; backend: string }): string {
  return JSON.stringify([of.backend, of.path, of.contract]);
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
