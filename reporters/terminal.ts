import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** What a renderer has to know of the place where its text is read. */
export interface Terminal {
  /** Columns. */
  width: number;
  colour: boolean;
  /** Whether the reader's locale shows more than ASCII. */
  unicode: boolean;
  /** Whether the last line can be written over. */
  live: boolean;
}

type Environment = Record<string, string | undefined>;
type MaybeTty = Writable & { isTTY?: boolean; columns?: number | undefined };

const usualWidth = 100;
const narrowest = 40;

/** Finds out what a stream can show: NO_COLOR, FORCE_COLOR, COLUMNS and the locale's variables are honoured. */
export function terminalOf(stream: MaybeTty, env: Environment): Terminal {
  const tty = stream.isTTY === true && env.TERM !== 'dumb';
  const columns = stream.columns || Number.parseInt(env.COLUMNS ?? '', 10) || usualWidth;
  return {
    width: Math.max(columns, narrowest),
    colour: wantsColour(tty, env),
    unicode: isUtf8(env),
    live: tty && !env.CI,
  };
}

function wantsColour(tty: boolean, env: Environment): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  // An empty NO_COLOR counts as not set: https://no-color.org
  return tty && !env.NO_COLOR;
}

function isUtf8(env: Environment): boolean {
  // The order in which POSIX reads them; Windows and bare containers set none, and their terminals know UTF-8.
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale === undefined || /utf-?8/i.test(locale);
}

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim' | 'magenta';

/** Colours a text where colour is wanted. Measure and wrap first: what comes back holds escape sequences. */
export function paint(terminal: Terminal, style: Style | Style[], text: string): string {
  return terminal.colour && text ? styleText(style, text, { validateStream: false }) : text;
}

const symbols = {
  ok: ['✓', '+'],
  bad: ['✗', 'x'],
  warning: ['!', '!'],
  absent: ['○', '-'],
  rule: ['─', '-'],
  more: ['…', '...'],
} as const;

/** A sign, or what stands for it in plain ASCII. */
export function sign(terminal: Terminal, name: keyof typeof symbols): string {
  return symbols[name][terminal.unicode ? 0 : 1];
}
