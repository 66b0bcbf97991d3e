import type { Verdict } from '../runner/report.ts';
import { renderCounterexample } from './counterexample.ts';
import { paint, type Style, sign, type Terminal } from './terminal.ts';
import { beside, counted, indented, paragraph, proseLines, shorten, visible, wrap } from './text.ts';

/** Lines of a message that are shown at most. */
const shownMessageLines = 20;
/** Lines of a trace that are shown at most. */
const shownTraceLines = 40;

/** How a verdict that is not upheld is headed. */
export interface Heading {
  text: string;
  style: Style;
  symbol: 'bad' | 'warning';
}

/** The heading of a verdict; with `strict`, should clauses count like must clauses. */
export function headingOf(verdict: Verdict, strict: boolean): Heading {
  if (verdict.verdict === 'vacuous') return { text: 'VACUOUS', style: 'yellow', symbol: 'bad' };
  if (verdict.verdict === 'error') return { text: 'ERROR', style: 'magenta', symbol: 'bad' };
  if (verdict.level === 'should' && !strict) return { text: 'WARNING', style: 'yellow', symbol: 'warning' };
  return { text: 'VIOLATED', style: 'red', symbol: 'bad' };
}

/**
 * All that a reader needs of one verdict that is not upheld: the rule, the case, what was seen, and how to see it again.
 * `alsoOn` names the other engine paths where the same was found.
 */
export function renderFinding(
  verdict: Verdict,
  alsoOn: string[],
  terminal: Terminal,
  options: { strict: boolean; debug: boolean },
): string[] {
  const inner = { ...terminal, width: terminal.width - 2 };
  const blocks = [
    statementLines(verdict, inner),
    verdict.verdict === 'vacuous' ? vacuousLines(verdict, inner) : messageLines(verdict, inner),
    options.debug ? stackLines(verdict, inner) : [],
    casesLines(verdict, inner),
    verdict.counterexample ? renderCounterexample(verdict.counterexample, inner) : [],
    traceLines(verdict, inner),
    [...evidenceLines(verdict, inner), ...alsoOnLines(alsoOn, inner), ...replayLines(verdict, inner)],
  ];
  return [...titleLines(verdict, terminal, options.strict), ...indented(spaced(blocks))];
}

function spaced(blocks: string[][]): string[] {
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

function titleLines(verdict: Verdict, terminal: Terminal, strict: boolean): string[] {
  const { text, style, symbol } = headingOf(verdict, strict);
  const head = `${sign(terminal, symbol)} ${text}`;
  const guard = visible(verdict.guard, terminal);
  const where = `${visible(verdict.path, terminal)}, backend ${visible(verdict.backend, terminal)}`;
  const painted = [paint(terminal, [style, 'bold'], head), paint(terminal, 'bold', guard), `(${verdict.level})`];
  return [
    ...beside([head, guard, `(${verdict.level})`], painted, terminal.width),
    ...indented(wrap(where, terminal.width - 2).map((line) => paint(terminal, 'dim', line))),
  ];
}

function statementLines(verdict: Verdict, terminal: Terminal): string[] {
  return paragraph('rule   ', visible(verdict.statement, terminal), terminal.width);
}

function messageLines(verdict: Verdict, terminal: Terminal): string[] {
  const label = verdict.verdict === 'error' ? 'the harness failed: ' : '';
  const text = verdict.message ?? verdict.reason ?? 'no message was given';
  const place = verdict.case === null ? '' : `in ${verdict.case}: `;
  const lines = proseLines(label + place + text, terminal);
  const shown = lines.slice(0, shownMessageLines).flatMap((line) => wrap(line, terminal.width));
  const more = lines.length - shownMessageLines;
  return more > 0 ? [...shown, `${sign(terminal, 'more')} ${more} more lines`] : shown;
}

/** Where the harness failed; the runner leaves it beside the verdict, so that no report carries it. */
function stackLines(verdict: Verdict & { stack?: string }, terminal: Terminal): string[] {
  return verdict.stack === undefined ? [] : proseLines(verdict.stack, terminal);
}

/** What was sent to the engine, a line each; of many the first and the last. */
function traceLines({ trace }: Verdict, terminal: Terminal): string[] {
  if (trace === null) return [];
  const half = shownTraceLines / 2;
  const left = trace.length - shownTraceLines;
  const more = `${sign(terminal, 'more')} ${counted(left, 'more line')}`;
  const shown = left > 0 ? [...trace.slice(0, half), more, ...trace.slice(-half)] : trace;
  const drawn = (line: string) => (terminal.unicode ? line : line.replace(/[┌│└]/g, '|'));
  const lines = shown.map((line) => shorten(visible(drawn(line), terminal), terminal.width - 2, terminal));
  return ['sent to the engine', ...indented(lines.length === 0 ? ['nothing that could be recorded'] : lines)];
}

function vacuousLines(verdict: Verdict, terminal: Terminal): string[] {
  const why = verdict.reason ?? verdict.message ?? 'no reason was given';
  const lines = proseLines(`nothing is proven: ${why}`, terminal);
  return lines.flatMap((line) => wrap(line, terminal.width));
}

/** "red in chunk-third, green in chunk-first": where the rule broke and where it held. */
function casesLines(verdict: Verdict, terminal: Terminal): string[] {
  if (verdict.cases.length < 2) return [];
  const groups = [
    ['violated', 'red in', 'red'],
    ['error', 'failed in', 'magenta'],
    ['upheld', 'green in', 'green'],
    ['not-applicable', 'left out', 'yellow'],
  ] as const;
  return groups.flatMap(([result, words, style]) => {
    const names = verdict.cases.filter((c) => c.verdict === result).map((c) => visible(c.name, terminal));
    if (names.length === 0) return [];
    const [first, ...rest] = paragraph(`${words} `, firstOnes(names).join(', '), terminal.width);
    return [paint(terminal, style, words) + first!.slice(words.length), ...rest];
  });
}

function firstOnes(names: string[]): string[] {
  return names.length <= 12 ? names : [...names.slice(0, 10), `and ${names.length - 10} more`];
}

function evidenceLines(verdict: Verdict, terminal: Terminal): string[] {
  const entries = Object.entries(verdict.evidence).map(([name, amount]) => `${name} ${amount}`);
  if (entries.length === 0) return [];
  return paragraph('seen   ', visible(entries.join(', '), terminal), terminal.width);
}

function alsoOnLines(paths: string[], terminal: Terminal): string[] {
  return paths.length === 0 ? [] : paragraph('also   ', `on ${visible(paths.join(', '), terminal)}`, terminal.width);
}

/** The command is never broken into lines, so that it can be copied. */
function replayLines(verdict: Verdict, terminal: Terminal): string[] {
  return verdict.replay === null ? [] : [`replay ${visible(verdict.replay, terminal)}`];
}
