import { expect, test } from 'vitest';
import { didYouMean, editDistance, nearest, nearestOnes } from './suggest.ts';

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
