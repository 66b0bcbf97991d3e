import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { paint, sign, terminalOf } from './terminal.ts';

function tty(columns?: number) {
  return Object.assign(new PassThrough(), { isTTY: true, columns });
}
const pipe = new PassThrough();

test('a terminal has colours, a live line and its own width', () => {
  expect(terminalOf(tty(80), { LANG: 'en_US.UTF-8' })).toEqual({ width: 80, colour: true, unicode: true, live: true });
});

test('a pipe has neither, and takes its width from the environment', () => {
  expect(terminalOf(pipe, {})).toEqual({ width: 100, colour: false, unicode: true, live: false });
  expect(terminalOf(pipe, { COLUMNS: '72' }).width).toBe(72);
});

test.each([
  ['NO_COLOR wins over a terminal', tty(), { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR says nothing', tty(), { NO_COLOR: '' }, true],
  ['FORCE_COLOR wins over a pipe', pipe, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 wins over a terminal', tty(), { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR wins over NO_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['a dumb terminal has no colours', tty(), { TERM: 'dumb' }, false],
])('%s', (_, stream, env, colour) => {
  expect(terminalOf(stream, env).colour).toBe(colour);
  expect(paint(terminalOf(stream, env), 'red', 'x')).toBe(colour ? '\x1b[31mx\x1b[39m' : 'x');
});

test.each([
  [{ LANG: 'C' }, false],
  [{ LANG: 'de_DE.utf8' }, true],
  [{ LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, false],
  [{ LC_CTYPE: 'C.UTF-8', LANG: 'C' }, true],
  [{}, true],
])('the locale %o decides about signs', (env, unicode) => {
  expect(sign(terminalOf(pipe, env), 'ok')).toBe(unicode ? '✓' : '+');
});

test('continuous integration gets no line that is written over', () => {
  expect(terminalOf(tty(), { CI: 'true' }).live).toBe(false);
});

test('no terminal is taken for narrower than 40 columns', () => {
  expect(terminalOf(tty(10), {}).width).toBe(40);
});
