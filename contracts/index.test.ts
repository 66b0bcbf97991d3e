import { describe, expect, it, test } from 'vitest';
import { contracts } from './index.ts';
import { extras, means, offers, promises } from './kernel/capabilities.ts';

/** The rules that every writing contract has, and their levels. */
const common = {
  'nothing-persists-after-failure': 'must',
  'no-partial-visibility': 'must',
  'nothing-arrives-late': 'must',
  'backend-usable-after-failure': 'must',
  'failed-batch-does-not-come-back': 'must',
  'commit-failure-is-reported': 'must',
  'lost-ack-is-all-or-nothing': 'must',
  'unknown-is-told': 'should',
  'server-abort-is-reported': 'must',
  'transient-fault-ends-whole': 'must',
  'concurrent-failure-is-isolated': 'must',
  'failures-at-once-leave-nothing': 'must',
  'acknowledged-survives-reopen': 'must',
  'acknowledged-survives-crash': 'must',
  'abort-takes-effect': 'must',
  'aborted-before-start-writes-nothing': 'must',
  'cancelled-is-all-or-nothing': 'must',
  'usable-after-abort': 'must',
  'empty-batch': 'must',
  'inputs-are-not-touched': 'must',
  'inputs-may-change-in-flight': 'should',
  'past-the-limits': 'must',
  'no-cliff-at-large-sizes': 'should',
  'is-one-round-trip-per-chunk': 'should',
  'is-one-commit': 'should',
};

const writing = contracts.filter(({ name }) => ['send-batch', 'materialize-window'].includes(name));

test.each(writing)('$name has every rule that is common to writing contracts', ({ name, guards }) => {
  const there = guards.filter(({ id }) => id.startsWith(`${name}/`)).map(({ id, level }) => [id, level]);
  const wanted = Object.entries(common).map(([rule, level]) => [`${name}/${rule}`, level]);
  expect(there).toEqual(expect.arrayContaining(wanted));
});

describe.each(contracts.flatMap(({ guards }) => guards))('$id', ({ id, statement, proves, needs }) => {
  it('is a rule in words', () => {
    expect(id).toMatch(/^[a-z-]+\/[a-z-]+$/);
    expect(statement).toMatch(/^[A-Z].*\.\)?$/);
  });

  it('names its evidence', () => {
    expect(proves.length).toBeGreaterThan(0);
    expect(new Set(proves).size).toBe(proves.length);
  });

  it('needs only what there is', () => {
    const known = new Set<string>([...offers, ...promises, ...extras, ...means]);
    expect(needs.map((need) => need.replace(/^!/, '')).filter((need) => !known.has(need))).toEqual([]);
  });
});
