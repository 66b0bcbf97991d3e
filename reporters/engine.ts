import type { AbsentEngine, EngineReport } from '../runner/report.ts';
import { paint, sign, type Terminal } from './terminal.ts';
import { counted, duration, indented, paragraph, visible } from './text.ts';

/** A running engine in a line, with each check of doctor that failed below it. */
export function renderEngine(engine: EngineReport, terminal: Terminal): string[] {
  const failed = engine.doctor.filter((check) => !check.ok);
  const doctor = failed.length > 0 ? 'doctor failed' : `doctor ok (${counted(engine.doctor.length, 'check')})`;
  // An engine that opens in one way only has a mode of its own name.
  const modes = engine.modes.join() === engine.provider ? '' : ` (${engine.modes.join(', ')})`;
  const line = `${engine.provider} ${engine.version}${modes}, up in ${duration(engine.startMs)}${engine.doctor.length === 0 ? '' : `, ${doctor}`}`;
  return [
    ...paragraph('engine  ', visible(line, terminal), terminal.width),
    ...failed.flatMap((check) => renderCheck(check, terminal)),
  ];
}

/** An engine that could not be had, with the reason. */
export function renderAbsent({ provider, reason }: AbsentEngine, terminal: Terminal): string[] {
  const lines = paragraph('absent  ', visible(`${provider}: ${reason}`, terminal), terminal.width);
  return lines.map((line) => paint(terminal, 'yellow', line));
}

/** One check of doctor: whether it passed, in which mode, and what was seen. */
export function renderCheck(check: EngineReport['doctor'][number], terminal: Terminal): string[] {
  const symbol = check.ok ? sign(terminal, 'ok') : sign(terminal, 'bad');
  const text = `${check.mode}: ${check.name}: ${check.detail}`;
  const [first, ...rest] = indented(paragraph(`${symbol} `, visible(text, terminal), terminal.width - 2));
  return [first!.replace(symbol, paint(terminal, check.ok ? 'green' : 'red', symbol)), ...rest];
}
