import type { Mutant } from '../../../kernel/mutant.ts';
import { isRowRefused, settle } from '../../../writing/mutants/replies.ts';
import { type Answer, alike, lyingMutant } from './calls.ts';
import { ofOutcomes, ofSchedules } from './killers.ts';

const target = 'materialize-window/cursor-never-passes-an-unwritten-slot';

const survives: Answer = async (window, { ask, advance, tools }) => {
  const reply = await settle(ask(window));
  if (!('threw' in reply)) return reply.value;
  const { slots, ...expected } = window;
  if (isRowRefused(reply) && (await advance({ ...expected, next: slots.at(-1)!.next })) === 'advanced') tools.lied();
  throw reply.threw;
};

/** Lies about where the cursor goes. */
export const cursorMutants: Mutant[] = [
  lyingMutant({
    id: 'cursor-survives-a-failed-insert',
    lie: 'Moves the cursor past the window although the engine has refused one of its rows.',
    target,
    alsoKilledBy: ['materialize-window/nothing-persists-after-failure'],
    lies: alike(survives),
  }),
  lyingMutant({
    id: 'cursor-to-the-end-after-stopping',
    lie: 'Stops behind the first slot that is taken, and completes the schedule as if it had come to the end of the grid.',
    target,
    alsoKilledBy: ofOutcomes,
    lies: {
      async window(window, { ask, advance, notes, tools }) {
        const { slots, ...expected } = window;
        const taken = slots.findIndex((slot) => notes.isTaken(window.schedule, slot));
        if (taken < 0 || slots.findIndex(({ next }) => next === null) <= taken) return ask(window);
        const result = await ask({ ...window, slots: slots.slice(0, taken + 1) });
        if (result.outcomes[taken] !== 'already-exists') return ask(window);
        tools.lied();
        await advance({ ...expected, expectedCursor: result.cursor, next: null });
        const rest = slots.slice(taken + 1).map(() => 'cursor-moved' as const);
        return { ...result, cursor: null, outcomes: [...result.outcomes, ...rest] };
      },
    },
  }),
  lyingMutant({
    id: 'cursor-moves-back',
    lie: 'Puts the cursor to a minute before it was when a slot of the window is taken.',
    target,
    alsoKilledBy: ofSchedules,
    lies: {
      async window(window, { ask, advance, tools }) {
        const result = await ask(window);
        const { slots: _, ...expected } = window;
        if (!result.outcomes.includes('already-exists') || result.cursor === null) return result;
        const back = new Date(Date.parse(window.expectedCursor!) - 60_000).toISOString();
        await advance({ ...expected, expectedCursor: result.cursor, next: back });
        tools.lied();
        return { ...result, cursor: back };
      },
    },
  }),
];
