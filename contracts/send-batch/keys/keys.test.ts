import { expect, it } from 'vitest';
import { judgeAll, testOptions } from '../../../runner/fixtures/judging.ts';
import { keyGuards } from './index.ts';

function judged(guards: typeof keyGuards, file: string, path: string) {
  const url = new URL(`./fixtures/${file}.ts`, import.meta.url).href;
  return judgeAll(guards, testOptions({ backends: [{ url, export: 'default' }], paths: [path], runs: 10 }));
}

it.each(['skip', 'bound', 'replace', 'refuse'])('a correct queue keeps every rule about keys: %s', async (variant) => {
  const verdicts = await judged(keyGuards, 'keyed-queue', `sqlite/file/${variant}`);
  const others = verdicts.filter(({ verdict }) => verdict !== 'upheld' && verdict !== 'not-applicable');
  expect(others).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === 'upheld').length).toBeGreaterThan(8);
});

it.each([
  ['folds-case', 'distinct-keys-stay-distinct', 'two messages whose keys differ by case, in one batch'],
  ['forgets-destination', 'distinct-keys-stay-distinct', 'two messages whose keys differ by their destinations alone'],
  ['names-any-destination', 'distinct-keys-stay-distinct', 'sending again messages whose keys differ by their dest'],
  ['tells-the-first-500', 'duplicates-are-named', 'a batch with the last 3 of its 2100 keys taken: 3 of 2100 messages'],
  ['hashes-keys', 'keys-are-kept', 'expected dedupeKey = "key-'],
  [
    'remembers-in-memory',
    'replay-is-recognised',
    'the replay of a stored batch by another subject: 257 of 257 outcomes do not name',
  ],
  [
    'notes-before-the-commit',
    'failed-keys-are-free',
    'sent again by the same subject, are to be stored, but 128 of 128',
  ],
  ['looks-before-it-begins', 'racing-keys-store-once', 'are stored more than once'],
  ['begins-by-reading', 'opposite-orders-do-not-deadlock', 'without calling it worth another try (retryable: true)'],
  ['does-not-wait', 'loser-waits-for-the-holder', 'database is locked; it was to wait, and to be stored'],
  ['replaces-singles', 'duplicates-equal-singles', 'sent one by one it is duplicate of the row that holds'],
  ['tells-the-last-id', 'duplicates-are-named', 'first in slot 0: expected an outcome that says duplicate, with id 1'],
  ['notes-duplicates', 'duplicates-are-named', 'repeats has got 3 rows; without them it gets 0'],
  ['notes-duplicates', 'duplicate-inside-the-batch', 'adds {"jobs":3,"repeats":3} rows'],
  ['replaces-the-row', 'duplicates-are-named', 'in row'],
  ['last-twin-wins', 'duplicate-inside-the-batch', 'did not fare as keyPolicy skip has it'],
  ['says-nothing', 'key-is-bound-to-content', 'it should be refused, or told apart'],
  ['refuses-all', 'replay-with-fresh-items', 'the new ones were to be stored'],
  ['refuses-without-a-name', 'duplicates-are-named', 'without saying which message it was for'],
])('%s is found by %s', async (variant, name, message) => {
  const guards = keyGuards.filter(({ id }) => id === `send-batch/${name}`);
  const [verdict] = await judged(guards, 'broken-keyed-queues', `sqlite/file/${variant}`);
  expect(verdict).toMatchObject({ verdict: 'violated', message: expect.stringContaining(message) });
});
