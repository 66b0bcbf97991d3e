import { expect, test } from 'vitest';
import { needInWords } from './needs.ts';

test.each([
  ['atomic', 'the backend promises atomic'],
  ['!atomic', 'the backend gives up atomic'],
  ['transaction', 'the backend offers transaction'],
  ['!transaction', 'the backend does not offer transaction'],
  ['durable', 'the backend claims durable'],
  ['!durable', 'the backend does not claim durable'],
  ['lock', 'the engine has lock: a lock held by another session'],
  ['!lock', 'the engine lacks lock: a lock held by another session'],
] as const)('%s in words', (need, words) => {
  expect(needInWords(need)).toBe(words);
});
