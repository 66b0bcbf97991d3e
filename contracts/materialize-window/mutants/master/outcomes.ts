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
    lie: 'Leaves out the outcomes of slots that are taken, in a window of more than ten.',
    target: inOrder,
    spoil: (honest, tools) => async (window, options) => {
      const result = await honest(window, options);
      const outcomes = result.outcomes.filter((outcome) => outcome !== 'already-exists');
      if (window.slots.length <= 10 || outcomes.length === result.outcomes.length) return result;
      tools.lied();
      return { ...result, outcomes };
    },
  }),
  windowMutant({
    id: 'conflict-on-the-next-slot',
    lie: 'Where one slot of a window is taken, tells that of the slot after it.',
    target: conflicts,
    spoil: (honest, tools) => async (window, options) => {
      const result = await honest(window, options);
      const outcomes: SlotOutcome[] = [...result.outcomes];
      const taken = outcomes.indexOf('already-exists');
      const next = outcomes[taken + 1];
      if (taken < 0 || outcomes.lastIndexOf('already-exists') > taken || typeof next !== 'object') return result;
      tools.lied();
      outcomes.splice(taken, 2, next, 'already-exists');
      return { ...result, outcomes };
    },
  }),
  lyingMutant({
    id: 'stops-at-first-conflict',
    lie: 'Where the first slot of a window is taken, writes none of the others, and tells them as taken.',
    target: conflicts,
    lies: {
      async window(window, { ask, notes, tools }) {
        const [first, ...others] = window.slots;
        const isTold = first && notes.isTaken(window.schedule, first);
        if (!isTold || others.every((slot) => notes.isTaken(window.schedule, slot))) return ask(window);
        const result = await ask({ ...window, slots: [first] });
        if (result.outcomes[0] !== 'already-exists')
          return { ...result, outcomes: window.slots.map(() => result.outcomes[0]!) };
        tools.lied();
        return { ...result, outcomes: window.slots.map(() => 'already-exists') };
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
