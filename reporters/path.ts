import type { PathReport, Verdict } from '../runner/report.ts';
import { headingOf } from './finding.ts';
import { paint, sign, type Terminal } from './terminal.ts';
import { counted, duration, grouped, indented, paragraph, proseLines, shorten, visible, wrap } from './text.ts';

/** The start of an engine path: what is judged there, and which promises its backend gives up. */
export function renderPathStart(path: PathReport, guards: number, terminal: Terminal): string[] {
  const about = `${path.contract}, backend ${path.backend}, ${counted(guards, 'guard')}`;
  return [...headed(path, about, terminal), ...givenUp(path, terminal)];
}

/** Names a path again, where lines about another one came between. */
export function renderPathAgain(path: PathReport, terminal: Terminal): string[] {
  return headed(path, `${path.contract}, backend ${path.backend}, continued`, terminal);
}

function headed(path: PathReport, about: string, terminal: Terminal): string[] {
  const name = visible(path.path, terminal);
  const [first, ...rest] = wrap(`${name}: ${visible(about, terminal)}`, terminal.width - 2);
  return [paint(terminal, 'bold', first!.slice(0, name.length)) + first!.slice(name.length), ...indented(rest)];
}

function givenUp(path: PathReport, terminal: Terminal): string[] {
  return Object.entries(path.givesUp).flatMap(([promise, reason]) =>
    indented(wrap(visible(`gives up ${promise}: ${reason}`, terminal), terminal.width - 2)).map((line) =>
      paint(terminal, 'yellow', line),
    ),
  );
}

/** A verdict that is not upheld, in one line, as it comes. */
export function renderVerdictLine(verdict: Verdict, terminal: Terminal, strict: boolean): string {
  const { text, style, symbol } = headingOf(verdict, strict);
  return `  ${paint(terminal, style, `${sign(terminal, symbol)} ${text}`)}  ${visible(verdict.guard, terminal)}`;
}

/** The end of an engine path: how many of its guards ended how. */
export function renderPathEnd(verdicts: Verdict[], guards: number, ms: number, terminal: Terminal): string[] {
  const count = (name: Verdict['verdict']) => verdicts.filter((v) => v.verdict === name).length;
  const counts: [number, string][] = [
    [count('upheld'), 'upheld'],
    [count('violated'), 'violated'],
    [count('vacuous'), 'vacuous'],
    [count('error'), 'failed in the harness'],
    [count('not-applicable'), 'not applicable'],
    [guards - verdicts.length, 'not judged'],
  ];
  const parts = counts.filter(([n], i) => n > 0 || i === 0).map(([n, words]) => `${grouped(n)} ${words}`);
  const lines = paragraph('', `${parts.join(', ')}, ${duration(ms)}`, terminal.width - 2);
  const broken = verdicts.find(isBrokenSetup);
  return indented([...lines, ...(broken ? setupLines(broken, terminal) : [])]);
}

function setupLines(broken: Verdict, terminal: Terminal): string[] {
  const text = `${broken.guard} did not hold, so nothing else on this path was judged`;
  return wrap(visible(text, terminal), terminal.width - 2).map((line) => paint(terminal, 'red', line));
}

function isBrokenSetup(verdict: Verdict): boolean {
  return verdict.guard.startsWith('setup/') && ['violated', 'vacuous', 'error'].includes(verdict.verdict);
}

/** What a path's subject wrote to the console: how much and the first line, or with `whole` all that was kept. */
export function renderConsoleNote(path: PathReport, terminal: Terminal, whole: boolean): string[] {
  if (path.console.bytes === 0) return [];
  const lines = proseLines(path.console.text, terminal);
  const head = `console of ${path.path}: ${counted(path.console.bytes, 'byte')}`;
  if (whole) return [visible(head, terminal), ...indented(lines.flatMap((line) => wrap(line, terminal.width - 2)))];
  const line = lines.find((l) => l.trim() !== '') ?? '';
  return paragraph('', `${visible(head, terminal)}, first line: ${shorten(line, 200, terminal)}`, terminal.width);
}
