import fc from 'fast-check';
import { expect, test } from 'vitest';
import { told } from './fixtures/open-variant.ts';
import { type KeyRule, keyIdentity } from './keys.ts';
import type { NewMessage, Reading } from './new-message.ts';
import { planOf, type StoredHolder } from './plan.ts';

const skip: KeyRule = { policy: 'skip', equal: [] };
const replace: KeyRule = { policy: 'replace', equal: [] };
const refuse: KeyRule = { policy: 'refuse', equal: [] };

/** Messages with these keys, whose bodies and ids are numbered by their slots. */
function batchOf(...keys: (string | null)[]): Reading[] {
  return keys.map((dedupeKey, position) => {
    const row = { messageId: `new ${position}`, body: `body ${position}`, dedupeKey, destination: null };
    return { position, row: row as unknown as NewMessage, ownId: false, job: null };
  });
}

function holding(key: string): Map<string, StoredHolder> {
  const identity = keyIdentity({ dedupeKey: key, destination: null }, skip)!;
  return new Map([[identity, { id: 7, messageId: 'old', body: 'old body' }]]);
}

const bodies = (inserts: readonly Reading[]) => inserts.map(({ row }) => row.body);

test('skip: the first with a key is stored, the others are told of its row, and whether their content differs', () => {
  const { inserts, updates, outcomes } = planOf(batchOf('a', null, 'held', 'a'), holding('held'), skip);
  expect(bodies(inserts)).toEqual(['body 0', 'body 1']);
  expect(updates.size).toBe(0);
  expect(told(outcomes)).toEqual([
    { stored: 'new 0' },
    { stored: 'new 1' },
    { duplicate: 'old', differs: true },
    { duplicate: 'new 0', differs: true },
  ]);
  const [first, second] = batchOf('a', 'a');
  second!.row.body = first!.row.body;
  expect(told(planOf([first!, second!], new Map(), skip).outcomes)[1]).toEqual({ duplicate: 'new 0' });
});

test('replace: the last with a key gives its content to the row that has the key, which keeps its id', () => {
  const batch = batchOf('a', 'held', 'held', 'a');
  const { inserts, updates, outcomes } = planOf(batch, holding('held'), replace);
  expect(bodies(inserts)).toEqual(['body 3']);
  expect(inserts[0]!.row.messageId).toBe('new 0');
  expect([...updates]).toEqual([[7, expect.objectContaining({ messageId: 'old', body: 'body 2' })]]);
  expect(told(outcomes)).toEqual([
    { stored: 'new 0' },
    { duplicate: 'old' },
    { duplicate: 'old' },
    { duplicate: 'new 0' },
  ]);
  expect(batch[0]!.row.body).toBe('body 0');
});

test('refuse: a key that is taken fails the plan, by a row or by an earlier message, and is named', () => {
  expect(() => planOf(batchOf('a', 'held'), holding('held'), refuse)).toThrow('message 1: the key "held" is taken');
  expect(() => planOf(batchOf('a', 'b', 'a'), new Map(), refuse)).toThrow('message 2: the key "a" is taken');
  expect(planOf(batchOf('a', null, null), holding('held'), refuse).inserts).toHaveLength(3);
});

test.each([skip, replace])('a batch comes to what as many single sends come to: $policy', (rule) => {
  const keys = fc.array(fc.option(fc.constantFrom('a', 'b', 'c')), { maxLength: 12 });
  fc.assert(
    fc.property(keys, (drawn) => {
      const batch = batchOf(...drawn);
      const whole = planOf(batch, new Map(), rule);
      expect(told(whole.outcomes)).toEqual(told(singles(batch, rule).outcomes));
      expect(whole.inserts.map(({ row }) => row)).toEqual(singles(batch, rule).rows);
    }),
    { seed: 20_260_101 },
  );
});

/** Plans every message alone, on the rows that the earlier ones have left. */
function singles(batch: readonly Reading[], rule: KeyRule) {
  const rows: NewMessage[] = [];
  const outcomes = batch.flatMap((reading) => {
    const holders = new Map<string, StoredHolder>();
    for (const [id, row] of rows.entries()) {
      const identity = keyIdentity(row, rule);
      if (identity !== undefined) holders.set(identity, { ...row, id });
    }
    const plan = planOf([reading], holders, rule);
    for (const [id, content] of plan.updates) rows[id] = content as NewMessage;
    rows.push(...plan.inserts.map(({ row }) => row));
    return plan.outcomes;
  });
  return { rows, outcomes };
}
