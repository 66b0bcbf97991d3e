import { expect, test } from 'vitest';
import { mustHaveStoredAll, mustHaveStoredNothing, premise } from './checks.ts';
import { type Bench, type Rig, Vacuous, Violation } from './guard.ts';
import { mustBeTrue } from './true-outcomes.ts';
import type { StoredItem, Writes, Written } from './writes.ts';

const items = ['a', 'b', 'c', 'd'];
const bench = { declaration: { givesUp: {} } } as Bench;
const failed: Written = {
  outcomes: null,
  threw: { name: 'Error', message: 'session ended', unknown: true },
  malformed: undefined,
  touched: undefined,
  startedAt: 0,
  settledAt: 0,
};

/** Items are found by themselves: `tokens` at once, and `later` once the subject is quiet. */
function holding(tokens: string[], later: string[] = []): [Writes<string>, Rig] {
  let there = tokens;
  const rig = {
    quiet: async () => {
      there = [...tokens, ...later];
    },
  } as unknown as Rig;
  const writes = {
    noun: 'messages',
    token: (item: string) => item,
    print: (item: string) => item,
    stored: async () => there.map((token, i): StoredItem => ({ token, id: String(i), fields: {} })),
  } as unknown as Writes<string>;
  return [writes, rig];
}

async function violationOf(checking: Promise<unknown>): Promise<Violation> {
  const error = await checking.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof Violation)) throw new Error(`no violation, but ${error}`);
  return error;
}

test('what a message is about has no comma in front of its colon', async () => {
  const [w, rig] = holding(['b']);
  const what = 'a batch, one row of which the engine refused,';
  expect((await violationOf(mustHaveStoredNothing(bench, w, rig, items, what))).message).toBe(
    'a batch, one row of which the engine refused: 1 of 4 messages are stored although the batch failed',
  );
});

test('a premise is named once', async () => {
  const broken = premise('a batch far from the limits', () => {
    throw new Violation('it: 4 of 4 messages are not stored');
  });
  await expect(broken).rejects.toEqual(
    new Vacuous('a batch far from the limits went wrong: 4 of 4 messages are not stored'),
  );
});

test('rows that are lost and rows that are there twice are told apart', async () => {
  const message = async (tokens: string[], later?: string[]) => {
    const [w, rig] = holding(tokens, later);
    return (await violationOf(mustHaveStoredAll(bench, w, rig, items, 'a batch'))).message;
  };
  expect(await message(['a', 'a', 'b', 'c', 'd'])).toBe('a batch: 1 of 4 messages are stored more than once');
  expect(await message(['a', 'a', 'b', 'c'])).toBe(
    'a batch: 1 of 4 messages are not stored, 1 of 4 messages are stored more than once',
  );
  expect(await message(['a'], ['b', 'c'])).toMatch(
    /^a batch: 3 of 4 messages are not stored when the call has settled; \d+ ms later 2 are: it must not settle before/,
  );
});

test('of a batch that is there in part, the slots that are fewer are marked', async () => {
  const [w, rig] = holding(['a', 'b', 'd']);
  const { message, counterexample } = await violationOf(
    mustBeTrue(bench, w, rig, items, failed, 'a batch', { answerLost: true }),
  );
  expect(message).toBe('a batch: 3 of 4 messages are stored; it has to be all of them, or none');
  expect(counterexample!.slots.map(({ mark, stored }) => [mark, stored])).toEqual([
    ['ok', '1 row'],
    ['ok', '1 row'],
    ['lost', 'nothing'],
    ['ok', '1 row'],
  ]);
});

test('a throw is told from a failed outcome', async () => {
  const [w, rig] = holding(['c']);
  const threw = { name: 'Error', message: 'no' };
  const { message } = await violationOf(mustBeTrue(bench, w, rig, items, { ...failed, threw }, 'a batch'));
  expect(message).toBe(
    'a batch: 1 of 4 messages are not as reported (Error: no); ' +
      'first in slot 2: expected nothing (the call threw), found 1 row',
  );
});
