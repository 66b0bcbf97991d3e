import type { Mutant } from '../../../kernel/mutant.ts';
import { parsedInstant } from '../../instants.ts';
import type { Slot } from '../../port.ts';
import { windowMutant } from '../spoil.ts';

const target = 'materialize-window/duplicate-slot-in-one-window';

/** How far before a slot its twins are looked for: looked for everywhere, in a large window there would be no end. */
const nearby = 3;

/** Lies about equal slots in one window. */
export const twinMutants: Mutant[] = [
  separating({
    id: 'twin-slot-created-twice',
    lie: 'Creates a slot that stands in a window twice a second time, a second later.',
    isTwin: (slot, other) => slot.at === other.at,
  }),
  separating({
    id: 'slots-compared-before-rounding',
    lie: 'Takes slots for different ones that are equal in the resolution in which they are stored, and creates them both.',
    isTwin: isNear,
  }),
  windowMutant({
    id: 'twin-slot-fails-the-call',
    lie: 'Fails when a slot stands in a window twice.',
    target,
    spoil: (honest, tools) => async (window, options) => {
      if (new Set(window.slots.map(({ at }) => at)).size === window.slots.length) return honest(window, options);
      tools.lied();
      throw new Error('a slot of the window is there already');
    },
  }),
];

/** A lie that keeps apart what is the same slot: each twin is created some seconds after the slot that it equals. */
function separating(m: Pick<Mutant, 'id' | 'lie'> & { isTwin(slot: Slot, other: Slot): boolean }): Mutant {
  const { isTwin, ...described } = m;
  return windowMutant({
    ...described,
    target,
    spoil: (honest, tools) => async (window, options) => {
      const slots = window.slots.map((slot, i) => {
        const twins = window.slots.slice(Math.max(0, i - nearby), i).filter((other) => isTwin(slot, other)).length;
        return twins === 0 ? slot : { ...slot, at: secondsAfter(slot, twins) };
      });
      const result = await honest({ ...window, slots }, options);
      const isTold = slots.some((slot, i) => slot !== window.slots[i] && typeof result.outcomes[i] === 'object');
      if (isTold) tools.lied();
      return result;
    },
  });
}

/** Whether two instants of one zone differ by less than a second, and not by nothing. */
function isNear({ at }: Slot, other: Slot): boolean {
  const [instant, before] = [parsedInstant(at), parsedInstant(other.at)];
  if (instant === undefined || before === undefined || at === other.at || at.at(-1) !== other.at.at(-1)) return false;
  const apart = instant - before;
  return apart < 1_000_000n && apart > -1_000_000n;
}

function secondsAfter({ at }: Slot, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}
