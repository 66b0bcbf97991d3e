import { expect, test } from 'vitest';
import type { SlotLine } from '../contracts/kernel/counterexample.ts';
import { renderCounterexample } from './counterexample.ts';
import { sampleSlots } from './fixtures/sample-report.ts';
import { terminals } from './fixtures/terminals.ts';

const swapped = { input: '257 messages over 3 chunks of 100, on an empty table', slots: sampleSlots() };

test('on a wide terminal values have room, and ok slots far from the trouble are counted', () => {
  expect(`\n${renderCounterexample(swapped, terminals.wide).join('\n')}\n`).toBe(`
input  257 messages over 3 chunks of 100, on an empty table
slot  mark       sent                                                                       expected  stored
… 199 more slots ok
 199  ok         {"body":{"nonce":"7f3a-199","text":"…ng enough to be cut in its middle"}}  7f3a-199  id 200 -> 7f3a-199
 200  reordered  {"body":{"nonce":"7f3a-200","text":"…ng enough to be cut in its middle"}}  7f3a-200  id 202 -> 7f3a-201
 201  reordered  {"body":{"nonce":"7f3a-201","text":"…ng enough to be cut in its middle"}}  7f3a-201  id 201 -> 7f3a-200
 202  ok         {"body":{"nonce":"7f3a-202","text":"…ng enough to be cut in its middle"}}  7f3a-202  id 203 -> 7f3a-202
… 54 more slots ok
`);
});

test('on a narrow terminal long values are shortened in their middle', () => {
  expect(`\n${renderCounterexample(swapped, terminals.narrow).join('\n')}\n`).toBe(`
input  257 messages over 3 chunks of 100, on an empty table
slot  mark       sent              expected  stored
… 199 more slots ok
 199  ok         {"body":…ddle"}}  7f3a-199  id 200 …f3a-199
 200  reordered  {"body":…ddle"}}  7f3a-200  id 202 …f3a-201
 201  reordered  {"body":…ddle"}}  7f3a-201  id 201 …f3a-200
 202  ok         {"body":…ddle"}}  7f3a-202  id 203 …f3a-202
… 54 more slots ok
`);
});

test('values of others cannot steer the terminal', () => {
  const slots: SlotLine[] = [{ slot: 0, mark: 'changed', sent: 'é\n', expected: 'é\x1b[2J', stored: '\u202eé' }];
  expect(renderCounterexample({ input: 'one\x07', slots }, terminals.ascii)).toEqual([
    'input  one\\x07',
    'slot  mark     sent    expected     stored',
    '   0  changed  \\xe9\\n  \\xe9\\x1b[2J  \\u202e\\xe9',
  ]);
});

test('of many bad slots the first are shown, and the others counted', () => {
  const slots = sampleSlots().map((line): SlotLine => ({ ...line, mark: line.slot >= 5 ? 'lost' : 'ok' }));
  const lines = renderCounterexample({ input: 'all', slots }, terminals.wide);
  expect(lines).toHaveLength(1 + 1 + 1 + 12 + 1);
  expect(lines[2]).toBe('… 4 more slots ok');
  expect(lines.at(-1)).toBe('… 241 more slots, 241 of them not ok');
});

test('without a bad slot the first slots are shown; without slots there is no table', () => {
  const slots = sampleSlots().map((line): SlotLine => ({ ...line, mark: 'ok' }));
  expect(renderCounterexample({ input: 'all', slots }, terminals.wide)).toHaveLength(1 + 1 + 12 + 1);
  expect(renderCounterexample({ input: 'nothing', slots: [] }, terminals.wide)).toEqual(['input  nothing']);
});

test('colours stand outside the columns', () => {
  const plain = renderCounterexample(swapped, terminals.wide);
  const colourful = renderCounterexample(swapped, terminals.colourful);
  expect(colourful.join('\n')).toContain('\x1b[33mreordered\x1b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken away.
  expect(colourful.map((line) => line.replaceAll(/\x1b\[\d+m/g, ''))).toEqual(plain);
});
