import { isDeepStrictEqual } from 'node:util';
import type { Mutant } from '../../../kernel/mutant.ts';
import type { SlotOutcome } from '../../port.ts';
import { lyingMutant } from '../parent/calls.ts';
import { windowMutant } from '../spoil.ts';

const inOrder = 'materialize-window/outcome-per-slot-in-order';
const conflicts = 'materialize-window/conflict-names-its-slot';

/** Lies about what became of which slot. */
export const outcomeMutants: Mutant[] = [
  windowMutant({
    id: 'created-ids-rotated',
    lie: 'Gives each slot that is created the id of the child that was created after it.',
    target: inOrder,
    // It looks which child each outcome names.
    alsoKilledBy: ['materialize-window/disordered-window-is-declared'],
    needs: ['ids'],
    spoil: (honest, tools) => async (window, options) => {
      const result = await honest(window, options);
      const created = result.outcomes.filter((outcome) => typeof outcome === 'object');
      if (created.length < 2) return result;
      tools.lied();
      const rotated = [...created.slice(1), created[0]!].values();
      const outcomes = result.outcomes.map((outcome) =>
        typeof outcome === 'object' ? rotated.next().value! : outcome,
      );
      return { ...result, outcomes };
    },
  }),
  windowMutant({
    id: 'outcomes-compacted',
    lie: 'Leaves out the outcomes of slots that are taken, in a window of more than ten that goes on after the end of its grid.',
    target: inOrder,
    spoil: (honest, tools) => async (window, options) => {
      const result = await honest(window, options);
      const outcomes = result.outcomes.filter((outcome) => outcome !== 'already-exists');
      const goesOn = result.outcomes.length > 10 && outcomes.includes('parent-inactive');
      if (!goesOn || outcomes.length === result.outcomes.length) return result;
      tools.lied();
      return { ...result, outcomes };
    },
  }),
  lyingMutant({
    id: 'equal-body-is-a-conflict',
    lie: 'Takes a slot for taken whose body is that of the slot before it.',
    target: conflicts,
    lies: {
      async window(window, { ask, tools }) {
        const isEqual = window.slots.map(
          ({ child }, slot) => slot > 0 && isDeepStrictEqual(child.body, window.slots[slot - 1]!.child.body),
        );
        const result = await ask({ ...window, slots: window.slots.filter((_, slot) => !isEqual[slot]) });
        if (!isEqual.includes(true)) return result;
        tools.lied();
        const others = result.outcomes.values();
        return { ...result, outcomes: isEqual.map((is) => (is ? 'already-exists' : others.next().value!)) };
      },
    },
  }),
  lyingMutant({
    id: 'conflict-on-the-next-slot',
    lie: 'Where one slot of a window is taken, and not the first, tells that of the slot after it.',
    target: conflicts,
    lies: {
      async window(window, { ask, notes, tools }) {
        const slot = window.slots.findIndex((sent) => notes.isTaken(window.schedule, sent));
        const result = await ask(window);
        const outcomes: SlotOutcome[] = [...result.outcomes];
        const next = outcomes[slot + 1];
        const isOnly = outcomes.indexOf('already-exists') === slot && outcomes.lastIndexOf('already-exists') === slot;
        if (slot < 1 || !isOnly || typeof next !== 'object') return result;
        tools.lied();
        outcomes.splice(slot, 2, next, 'already-exists');
        return { ...result, outcomes };
      },
    },
  }),
  lyingMutant({
    id: 'stops-at-first-conflict',
    lie: 'Where the first two slots of a window are taken, writes none of the others, and tells them as taken.',
    target: conflicts,
    lies: {
      async window(window, { ask, notes, tools }) {
        const isTaken = window.slots.map((slot) => notes.isTaken(window.schedule, slot));
        if (!isTaken[0] || !isTaken[1] || !isTaken.includes(false)) return ask(window);
        const result = await ask({ ...window, slots: window.slots.slice(0, 1) });
        const first = result.outcomes[0]!;
        if (first === 'already-exists') tools.lied();
        return { ...result, outcomes: window.slots.map(() => first) };
      },
    },
  }),
  windowMutant({
    id: 'all-reported-created',
    lie: 'Tells all slots of a window as created when all of them are taken.',
    target: conflicts,
    spoil: (honest, tools) => async (window, options) => {
      const result = await honest(window, options);
      if (window.slots.length < 2 || !result.outcomes.every((outcome) => outcome === 'already-exists')) return result;
      tools.lied();
      return { ...result, outcomes: result.outcomes.map(() => ({ created: null })) };
    },
  }),
];
