import type { Mutant } from '../../kernel/mutant.ts';
import { isRowRefused, settle } from '../../writing/mutants/replies.ts';
import { windowMutant } from './spoil.ts';

/** Lies about a schedule that the engine refuses to change. */
export const moveMutants: Mutant[] = [
  windowMutant({
    id: 'refused-move-is-success',
    lie: 'Tells all slots as created although the engine has refused to move their schedule.',
    target: 'materialize-window/nothing-persists-after-failure',
    spoil: (honest, tools, members) => async (window, options) => {
      const reply = await settle(honest(window, options));
      if (!('threw' in reply)) return reply.value;
      const { slots, ...expected } = window;
      // Which row was refused is seen by moving the cursor to where it is.
      if (!isRowRefused(reply) || window.expectedCursor === null) throw reply.threw;
      const move = await settle(members.advance({ ...expected, next: window.expectedCursor }, options));
      if (!('threw' in move && isRowRefused(move))) throw reply.threw;
      tools.lied();
      const outcomes = slots.map((_, slot) => ({ created: 1_000_000_007 + slot }));
      return { outcomes, cursor: slots.at(-1)?.next ?? null, runs: slots.length };
    },
  }),
];
