import fc from 'fast-check';
import { expect, test } from 'vitest';
import { terminals } from './fixtures/terminals.ts';
import {
  beside,
  columns,
  counted,
  duration,
  paragraph,
  proseLines,
  shorten,
  shortenPair,
  visible,
  wrap,
} from './text.ts';

const { wide, ascii } = terminals;

test('control characters, marks of direction and lone surrogates become visible', () => {
  expect(visible('a\x1b[31mb\x00\n\u009b\u202e\ud800', wide)).toBe('a\\x1b[31mb\\x00\\n\\x9b\\u202e\\ud800');
});

test('what is not ASCII becomes visible where only ASCII is shown', () => {
  expect(visible('é日👩', ascii)).toBe('\\xe9\\u65e5\\u{1f469}');
});

test('no text leaves a control character behind', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text, wide)).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      expect(visible(text, ascii)).toMatch(/^[\x20-\x7e]*$/);
      expect(proseLines(text, wide).join('')).not.toMatch(/[\p{Cc}\p{Cs}]/u);
    }),
  );
});

test('prose keeps its lines and loses its colours', () => {
  expect(proseLines('\x1b[31mred\x1b[39m\r\n\tthen\n\n', wide)).toEqual(['red', '  then']);
});

test('wide characters and emoji take two columns, combined ones the room of one', () => {
  expect(['ab', 'é', 'e\u0301', '日本', '👩', '👩‍👩‍👧'].map(columns)).toEqual([2, 1, 1, 4, 2, 2]);
});

test('wrapping breaks between words and cuts a word that is too long', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('a 1234567890 b', 4)).toEqual(['a', '1234', '5678', '90 b']);
  expect(wrap('', 10)).toEqual(['']);
});

test('no wrapped line is too wide, and nothing but blanks is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, width) => {
      const lines = wrap(text, width);
      expect(lines.every((line) => columns(line) <= width)).toBe(true);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});

test('a paragraph hangs below its first word', () => {
  expect(paragraph('rule   ', 'all of it is stored or nothing', 30)).toEqual([
    'rule   all of it is stored or',
    '       nothing',
  ]);
});

test('a long text is shortened in its middle', () => {
  expect(shorten('0123456789', 7, wide)).toBe('012…789');
  expect(shorten('0123456789', 7, ascii)).toBe('01...89');
  expect(shorten('0123456', 7, wide)).toBe('0123456');
});

test('a shortened text is never too wide', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 8, max: 40 }),
      fc.option(fc.nat(60), { nil: undefined }),
      (text, width, at) => {
        expect(columns(shorten(text, width, wide, at))).toBeLessThanOrEqual(width);
        expect(columns(shorten(visible(text, ascii), width, ascii, at))).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test('two long texts are shortened round their first difference', () => {
  const a = `${'x'.repeat(50)}A${'y'.repeat(50)}`;
  const b = `${'x'.repeat(50)}B${'y'.repeat(50)}`;
  expect(shortenPair(a, b, [20, 20], wide)).toEqual(['…xxxxxxAyyyyyyyyyyy…', '…xxxxxxByyyyyyyyyyy…']);
});

test('different texts stay different when they are shortened', () => {
  const text = fc.string({ minLength: 30, maxLength: 90, unit: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 12, max: 25 }), (a, b, width) => {
      fc.pre(a !== b);
      const [shortA, shortB] = shortenPair(a, b, [width, width], wide);
      expect(shortA).not.toBe(shortB);
    }),
  );
});

test('numbers and times read well', () => {
  expect([counted(1, 'slot'), counted(1234, 'slot')]).toEqual(['1 slot', '1,234 slots']);
  expect([duration(12.4), duration(3210), duration(61_000)]).toEqual(['12 ms', '3.2 s', '1 min 1 s']);
});

test('parts of a heading stand side by side where there is room', () => {
  const parts = ['BAD', 'send-batch/x', '(must)'];
  const painted = ['<BAD>', '<send-batch/x>', '(must)'];
  expect(beside(parts, painted, 25)).toEqual(['<BAD>  <send-batch/x>  (must)']);
  expect(beside(parts, painted, 24)).toEqual(['<BAD>  <send-batch/x>', '  (must)']);
  expect(beside(parts, painted, 16)).toEqual(['<BAD>', '  <send-batch/x>', '  (must)']);
});
