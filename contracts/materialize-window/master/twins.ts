import { tokenIn } from '../../kernel/bodies.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import type { Slot } from '../port.ts';
import { mustTellEach, oneCall } from './one-call.ts';
import { ordinary, scenario } from './scenario.ts';

/** Slots of each window. */
const size = 5;

export const duplicateSlotInOneWindow: Guard = guard({
  id: 'materialize-window/duplicate-slot-in-one-window',
  statement:
    'Of equal slots in one window the first is created and the others are told as already-exists, also where they are equal only in the resolution in which instants are stored.',
  proves: ['windows', 'twins'],
  async check(bench) {
    const { disorder, timeResolution } = bench.declaration;
    const equal = (at: number, twins: number[]) => () =>
      mustCreateTheFirst(bench, twins.length, (slots) => withTwins(slots, at, twins));
    await bench.case('side-by-side', equal(1, [2]));
    await bench.case('three-times', equal(0, [1, 2]));
    await bench.case('at-the-end', equal(size - 2, [size - 1]));
    if (disorder === 'folded') await bench.case('apart', equal(0, [3]));
    await bench.case('within-the-resolution', () =>
      mustCreateTheFirst(bench, 1, (slots) => withNearTwin(slots, timeResolution)),
    );
  },
});

/** The slots with some of them at the instant of another. */
function withTwins(slots: readonly Slot[], at: number, twins: readonly number[]): Slot[] {
  return slots.map((slot, i) => (twins.includes(i) ? { ...slot, at: slots[at]!.at } : slot));
}

/** The slots with two of them a part of a step after the instant of the first; both are stored as that. */
function withNearTwin(slots: readonly Slot[], resolution: number): Slot[] {
  const step = Math.min(1000, resolution) * 1e6;
  const later = (parts: number) =>
    slots[1]!.at.replace(/\.\d+Z$/, `.${String(Math.round(step * parts)).padStart(9, '0')}Z`);
  return slots.map((slot, i) => (i === 1 || i === 2 ? { ...slot, at: later(i * 0.1) } : slot));
}

async function mustCreateTheFirst(
  bench: Bench,
  twins: number,
  change: (slots: readonly Slot[]) => readonly Slot[],
): Promise<void> {
  const what = `${count(size, 'slots')}, ${twins} of them ${twins === 1 ? 'a twin' : 'twins'} of another`;
  const came = await oneCall(bench, scenario([ordinary(size)]), change);
  mustTellEach(bench, came, what, 'kinds alone');
  for (const [slot, outcome] of came.expected.outcomes.entries()) {
    const token = tokenIn(came.slots[slot]!.child.body);
    const rows = came.found.children.filter((child) => child.token === token).length;
    const wanted = typeof outcome === 'object' ? 1 : 0;
    if (rows === wanted) continue;
    throw new Violation(`${what}: slot ${slot} has ${count(rows, 'rows')}, expected ${wanted}`);
  }
  bench.record('windows', 1);
  bench.record('twins', twins);
}
