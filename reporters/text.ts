import { stripVTControlCharacters } from 'node:util';
import { sign, type Terminal } from './terminal.ts';

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const beyondAscii = /[^\x20-\x7e]/gu;

/**
 * A text that somebody else wrote, made safe to print on one line: control characters, marks that change the direction
 * of writing and halves of surrogate pairs become visible escapes, and so does all but ASCII where only that is shown.
 */
export function visible(text: string, terminal: Terminal): string {
  const printable = text.replace(unprintable, escaped);
  return terminal.unicode ? printable : printable.replace(beyondAscii, escaped);
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0)!.toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
}

/** Prose that somebody else wrote, as safe lines; colours in it are dropped, and its own line breaks are kept. */
export function proseLines(text: string, terminal: Terminal): string[] {
  return stripVTControlCharacters(text)
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => visible(line.replaceAll('\t', '  '), terminal));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const asciiOnly = /^[\x20-\x7e]*$/;

/** Columns that a text without escape sequences takes. */
export function columns(text: string): number {
  if (asciiOnly.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += wide.test(segment) ? 2 : 1;
  return sum;
}

/** The text with blanks to its right, `width` columns in all. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** Sets lines in by two columns; empty ones stay empty. */
export function indented(lines: string[]): string[] {
  return lines.map((line) => (line === '' ? line : `  ${line}`));
}

/** Breaks a text between words, so that no line is wider than `width`; a longer word is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columns(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = cut(word, width);
    line = pieces.pop()!;
    lines.push(...pieces);
  }
  return [...lines, line];
}

/** A paragraph with a hanging indent: the first line after `first`, the others below its text. */
export function paragraph(first: string, text: string, width: number): string[] {
  const indent = columns(first);
  const rest = ' '.repeat(indent);
  return wrap(text, Math.max(width - indent, 20)).map((line, i) => (i === 0 ? first : rest) + line);
}

/**
 * Parts of a heading side by side, two spaces apart; one for which there is no room begins a line of its own. What is
 * measured is the plain text, what is shown may be painted.
 */
export function beside(plain: readonly string[], painted: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let used = Number.POSITIVE_INFINITY;
  plain.forEach((part, i) => {
    const fits = used + 2 + columns(part) <= width;
    if (fits) lines.push(`${lines.pop()}  ${painted[i]}`);
    else lines.push(lines.length === 0 ? painted[i]! : `  ${painted[i]}`);
    used = (fits ? used + 2 : lines.length === 1 ? 0 : 2) + columns(part);
  });
  return lines;
}

/** Cuts a text into pieces of at most `width` columns, never inside a character as a person sees it. */
function cut(text: string, width: number): string[] {
  if (columns(text) <= width) return [text];
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of graphemes.segment(text)) {
    if (piece !== '' && columns(piece + segment) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}

/** Shortens a text in its middle, or round the character `at`, to at most `width` columns. */
export function shorten(text: string, width: number, terminal: Terminal, at?: number): string {
  if (columns(text) <= width) return text;
  const more = sign(terminal, 'more');
  if (at === undefined) {
    const room = Math.max(width - more.length, 2);
    const head = takeFrom([...graphemes.segment(text)], Math.ceil(room / 2));
    const tail = takeFrom([...graphemes.segment(text)].reverse(), Math.floor(room / 2));
    return head.join('') + more + tail.reverse().join('');
  }
  const lead = Math.min(at - Math.floor(width / 3), text.length - (width - more.length));
  const start = characterStart(text, Math.max(0, lead));
  const before = start > 0 ? more : '';
  const rest = text.slice(start);
  if (columns(before + rest) <= width) return before + rest;
  return before + takeFrom([...graphemes.segment(rest)], width - before.length - more.length).join('') + more;
}

/** The index itself, or the next one where it points into the middle of a surrogate pair. */
function characterStart(text: string, index: number): number {
  return /[\udc00-\udfff]/.test(text[index] ?? '') ? index + 1 : index;
}

function takeFrom(segments: Intl.SegmentData[], width: number): string[] {
  const taken: string[] = [];
  let used = 0;
  for (const { segment } of segments) {
    used += columns(segment);
    if (used > width) break;
    taken.push(segment);
  }
  return taken;
}

/** Shortens two texts that are to be compared so that the first difference between them stays in sight. */
export function shortenPair(a: string, b: string, widths: [number, number], terminal: Terminal): [string, string] {
  const at = firstDifference(a, b);
  const inBothHeads = at < Math.min(...widths) / 2 - 2;
  const where = a === b || inBothHeads ? undefined : at;
  return [shorten(a, widths[0], terminal, where), shorten(b, widths[1], terminal, where)];
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

/** `1 slot`, `2 slots`. */
export function counted(n: number, noun: string): string {
  return `${grouped(n)} ${n === 1 ? noun : `${noun}s`}`;
}

/** A whole number with its thousands set apart. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** A span of time as a person reads it. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
