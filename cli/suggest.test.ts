import { expect, test } from 'vitest';
import type { Need } from '../contracts/kernel/capabilities.ts';
import { didYouMean, editDistance, guardsAlike, nearest, nearestOnes } from './suggest.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['postgress', 'postgres', 1],
  ['sqltie', 'sqlite', 1],
  ['kitten', 'sitting', 3],
])('from %j to %j it takes %i edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
  expect(editDistance(b, a)).toBe(edits);
});

test('the nearest name is found, and none where all are far', () => {
  expect(nearest('sqltie', ['memory', 'sqlite'])).toBe('sqlite');
  expect(nearest('mongodb', ['memory', 'sqlite'])).toBe(undefined);
});

test('the last part of a name is enough', () => {
  const ids = ['send-batch/empty-batch', 'send-batch/ids-in-caller-order', 'update-batch/empty-batch'];
  expect(nearestOnes('empty-bacth', ids, 3)).toEqual(['send-batch/empty-batch', 'update-batch/empty-batch']);
});

test('a hint names the nearest, or all that is known', () => {
  expect(didYouMean('memry', ['memory', 'sqlite'])).toBe('did you mean memory?');
  expect(didYouMean('x1y2z3', ['memory', 'sqlite'])).toBe('known: memory, sqlite');
});

test.each([
  ['empty-bacth', ['x/empty-batch']],
  ['dup', ['x/duplicates-are-named']],
  ['x/DUPLICATES-*', ['x/duplicates-are-named']],
  ['x/dedupe-*', ['x/duplicates-are-named', 'x/keys-are-kept']],
  ['key', ['x/keys-are-kept']],
  ['it', []],
  ['nothing-like-it', []],
])('%s may mean these guards', (given, guards) => {
  const known: { id: string; needs: Need[] }[] = [
    { id: 'x/empty-batch', needs: [] },
    { id: 'x/duplicates-are-named', needs: ['dedupeKey'] },
    { id: 'x/keys-are-kept', needs: ['trace', 'dedupeKey'] },
  ];
  expect(guardsAlike(given, known, 3)).toEqual(guards);
});
