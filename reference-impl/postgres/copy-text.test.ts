import { expect, test } from 'vitest';
import { copyText } from './copy-text.ts';

test('escapes what would end a column, a row or an escape, and tells null from the text \\N', () => {
  const [text] = copyText([
    [1, 'a\tb', 'c\nd\re', null],
    [2.5, '\\N', '\\.', ''],
  ]);
  expect(text).toBe('1\ta\\tb\tc\\nd\\re\t\\N\n2.5\t\\\\N\t\\\\.\t\n');
});

test('comes in pieces that end with a row', () => {
  const rows = Array.from({ length: 100 }, (_, i) => [i, 'x'.repeat(3000)]);
  const pieces = [...copyText(rows)];
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.every((piece) => piece.endsWith('\n') && piece.length < 70_000)).toBe(true);
  expect(pieces.join('')).toBe(rows.map(([i, text]) => `${i}\t${text}\n`).join(''));
});

test('nothing makes no piece', () => {
  expect([...copyText([])]).toEqual([]);
});
