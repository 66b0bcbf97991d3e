import fc from 'fast-check';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { givenInstant } from '../instants.ts';
import type { Slot } from '../port.ts';
import { type Came, mustTellEach, oneCall } from './one-call.ts';
import { ordinary, type Scenario, scenario } from './scenario.ts';

export const outcomePerSlotInOrder: Guard = guard({
  id: 'materialize-window/outcome-per-slot-in-order',
  statement:
    'There are as many outcomes as slots, outcome i is about slot i, and `created` carries the id of the child whose slot it is.',
  proves: ['outcomes compared', 'children named', 'slots that are taken', 'slots after the end'],
  async check(bench) {
    const { maxItems = Number.POSITIVE_INFINITY } = bench.declaration.limits;
    const sizes = [1, 2, 11, severalChunks(bench)].filter((size) => size <= maxItems);
    for (const size of new Set(sizes)) {
      await bench.case(`size-${size}`, () => mustBeInOrder(bench, mixed(size)));
      // A backend may insert in another order than that of the caller, and number its children by it.
      const descends = size > 1 && bench.declaration.disorder === 'folded';
      if (descends) await bench.case(`size-${size}-descending`, () => mustBeInOrder(bench, descending(mixed(size))));
    }
    await bench.case('single-member', () => mustBeInOrder(bench, scenario([ordinary(1, { by: 'single' })])));
  },
});

/** A window that has every third slot taken, beginning with the third, and two slots after the end of the grid. */
function mixed(size: number): Scenario {
  const call = ordinary(size);
  const taken = [2, 5, 8, size - 6].filter((slot) => slot >= 2 && slot < size - 2);
  if (size > 4) call.slots[size - 3]!.ends = true;
  return scenario([call], { taken: [...new Set(taken)] });
}

/** The same instants, the last one first. */
function descending({ calls, ...others }: Scenario): Scenario {
  const [call] = calls as [Scenario['calls'][number]];
  const steps = call.slots.map((step, slot) => ({ ...step, steps: slot === 0 ? call.slots.length - 1 : -1 }));
  return { ...others, calls: [{ ...call, slots: steps }] };
}

async function mustBeInOrder(bench: Bench, played: Scenario): Promise<void> {
  const came = await oneCall(bench, played);
  mustTellEach(bench, came, count(came.slots.length, 'slots'), 'with ids');
  const { outcomes } = came.expected;
  bench.record('outcomes compared', outcomes.length);
  for (const outcome of outcomes) {
    if (typeof outcome === 'object') bench.record('children named', 1);
    else bench.record(outcome === 'already-exists' ? 'slots that are taken' : 'slots after the end', 1);
  }
}

/** Slots of a generated window. */
const most = 9;

export const conflictNamesItsSlot: Guard = guard({
  id: 'materialize-window/conflict-names-its-slot',
  statement: 'Of a window some of whose slots are taken, or none, or all, exactly those are told as already-exists.',
  proves: ['windows', 'slots that are taken', 'slots that are free'],
  async check(bench) {
    const five = [0, 1, 2, 3, 4];
    const named: Record<string, number[]> = {
      none: [],
      first: [0],
      'first-two': [0, 1],
      middle: [2],
      last: [4],
      all: five,
    };
    for (const [name, taken] of Object.entries(named)) {
      const isTaken = five.map((slot) => taken.includes(slot));
      await bench.case(name, () => mustNameTaken(bench, isTaken));
    }
    await bench.case('equal-bodies', () => mustNameTaken(bench, [false, true, false, false, false], withOneBody));
    const windows = fc.array(fc.boolean(), { minLength: 1, maxLength: most });
    await bench.property('generated', windows, (taken) => mustNameTaken(bench, taken));
  },
});

/** The slots, each with the body of the first. */
function withOneBody(slots: readonly Slot[]): Slot[] {
  return slots.map((slot) => ({ ...slot, child: { ...slot.child, body: slots[0]!.child.body } }));
}

async function mustNameTaken(
  bench: Bench,
  isTaken: readonly boolean[],
  change?: (slots: readonly Slot[]) => readonly Slot[],
): Promise<void> {
  const taken = isTaken.flatMap((is, slot) => (is ? [slot] : []));
  const came = await oneCall(bench, scenario([ordinary(isTaken.length)], { taken }), change);
  const what = `${count(isTaken.length, 'slots')}${change ? ' with equal bodies' : ''}, of which ${taken.length} are taken`;
  mustTellEach(bench, came, what, 'kinds alone');
  if (change) mustHaveOneEach(bench, came, what);
  bench.record('windows', 1);
  if (taken.length > 0) bench.record('slots that are taken', taken.length);
  if (taken.length < isTaken.length) bench.record('slots that are free', isTaken.length - taken.length);
}

/** Fails the guard unless each slot has one child; where bodies are equal, no nonce tells whose it is. */
function mustHaveOneEach({ declaration }: Bench, { slots, found }: Came, what: string): void {
  for (const [slot, { at }] of slots.entries()) {
    const slotAt = givenInstant(at, declaration.timeResolution);
    const rows = found.children.filter((child) => child.slotAt === slotAt).length;
    if (rows !== 1) throw new Violation(`${what}: slot ${slot} (${at}) has ${count(rows, 'rows')}, expected 1`);
  }
}
