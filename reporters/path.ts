import type { PathReport, Verdict } from '../runner/report.ts';
import { headingOf } from './finding.ts';
import { isFinding, whyNotJudged } from './judged.ts';
import { paint, sign, type Terminal } from './terminal.ts';
import { beside, counted, duration, grouped, indented, paragraph, proseLines, shorten, visible, wrap } from './text.ts';

/** The start of an engine path: what is judged there, and which promises its backend gives up. */
export function renderPathStart(path: PathReport, guards: number, terminal: Terminal): string[] {
  const name = visible(path.path, terminal);
  const about = visible(`${path.contract}, backend ${path.backend}, ${counted(guards, 'guard')}`, terminal);
  const [first, ...rest] = wrap(`${name}: ${about}`, terminal.width - 2);
  return [
    paint(terminal, 'bold', first!.slice(0, name.length)) + first!.slice(name.length),
    ...indented([...rest, ...givenUp(path, terminal)]),
  ];
}

function givenUp(path: PathReport, terminal: Terminal): string[] {
  return Object.entries(path.givesUp).flatMap(([promise, reason]) =>
    wrap(visible(`gives up ${promise}: ${reason}`, terminal), terminal.width - 2).map((line) =>
      paint(terminal, 'yellow', line),
    ),
  );
}

/** A verdict that is not upheld, in one line where there is room, as it comes. */
export function renderVerdictLine(verdict: Verdict, terminal: Terminal, strict: boolean): string[] {
  const { text, style, symbol } = headingOf(verdict, strict);
  const head = `${sign(terminal, symbol)} ${text}`;
  const guard = visible(verdict.guard, terminal);
  return indented(beside([head, guard], [paint(terminal, style, head), guard], terminal.width - 2));
}

/** The end of an engine path: how many of its guards ended how. */
export function renderPathEnd(
  verdicts: Verdict[],
  { guards, ms, strict }: { guards: number; ms: number; strict: boolean },
  terminal: Terminal,
): string[] {
  const judged = verdicts.filter((v) => whyNotJudged(v) === undefined);
  const count = (name: Verdict['verdict']) => judged.filter((v) => v.verdict === name).length;
  const counts: [number, string][] = [
    [count('violated'), 'violated'],
    [count('vacuous'), 'vacuous'],
    [count('error'), 'failed in the harness'],
    [count('not-applicable'), 'not applicable'],
    [guards - judged.length, 'not judged'],
  ];
  const others = counts.filter(([n]) => n > 0).map(([n, words]) => `, ${grouped(n)} ${words}`);
  const text = `${grouped(count('upheld'))} upheld${others.join('')}, ${duration(ms)}`;
  const whole = judged.length === guards && !judged.some((v) => isFinding(v) && headingOf(v, strict).symbol === 'bad');
  const symbol = sign(terminal, whole ? 'ok' : 'bad');
  const [first, ...rest] = paragraph(`${symbol} `, text, terminal.width - 2);
  const sums = [first!.replace(symbol, paint(terminal, whole ? 'green' : 'red', symbol)), ...rest];
  return indented([...sums, ...brokenLines(verdicts, terminal)]);
}

/** Says what every other verdict on the path rested on, where that did not hold. */
function brokenLines(verdicts: Verdict[], terminal: Terminal): string[] {
  const broken = new Set(verdicts.map(whyNotJudged).filter((why) => why !== undefined));
  return [...broken].flatMap((what) => {
    const text = `${what} did not hold, so nothing else on this path was judged`;
    return wrap(visible(text, terminal), terminal.width - 2).map((line) => paint(terminal, 'red', line));
  });
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
