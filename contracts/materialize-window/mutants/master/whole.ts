import type { Mutant } from '../../../kernel/mutant.ts';
import { setupMutant, withCalls } from '../../../setup/mutants/spoil.ts';
import type { SlotResult } from '../../port.ts';
import { type Answer, alike, isLostBy, lyingMutant } from '../parent/calls.ts';

const mostRuns = 2 ** 31 - 1;

const forgetful: Answer = async (window, { ask, put, notes, tools }) => {
  const schedule = notes.schedule(window.schedule);
  const result = await ask(window);
  const completes = result.cursor === null && !isLostBy('parent-inactive', result);
  if (schedule?.runs !== null || schedule.cursor === null || !completes || result.outcomes.length === 0) return result;
  // What is put has no run behind it.
  await put({ ...schedule, status: 'completed', cursor: null, runs: result.runs, error: null });
  tools.lied();
  return result;
};

/** Lies that show only where everything is compared, or where several things come together. */
export const wholeMutants: Mutant[] = [
  lyingMutant({
    id: 'conflict-plus-full-count-spends-a-run',
    lie: 'Counts a run for a window that is taken whole when the count is one short of its maximum.',
    target: 'materialize-window/equals-the-fold-of-singles',
    lies: {
      async window(window, { ask, put, notes, tools }) {
        const schedule = notes.schedule(window.schedule);
        const result = await ask(window);
        if (!schedule || result.runs !== mostRuns - 1 || result.cursor === null) return result;
        if (!isLostBy('already-exists', result)) return result;
        await put({ ...schedule, cursor: result.cursor, runs: mostRuns });
        tools.lied();
        return { ...result, runs: mostRuns };
      },
    },
  }),
  lyingMutant({
    id: 'single-and-bulk-both-forget-the-stamp',
    lie: 'Does not stamp the last run of a schedule that is completed when its run count was null.',
    target: 'materialize-window/equals-the-model',
    lies: alike(forgetful),
  }),
  setupMutant({
    id: 'fallback-loses-the-slot-after-a-conflict',
    lie: 'The toolkit, serving a window slot by slot, leaves out the slot after one that is taken.',
    target: 'materialize-window/fallback-equals-bulk',
    bench: (bench, lied) => {
      let isNext = false;
      return withCalls(bench, async ({ member, make }) => {
        if (member === 'materialize' && isNext) {
          isNext = false;
          lied();
          return { value: { outcome: 'cursor-moved', cursor: null, runs: null } satisfies SlotResult };
        }
        // A slot that is taken is advanced over, and by nobody else than who serves a window.
        if (member === 'advance') isNext = true;
        if (member === 'putSchedules') isNext = false;
        return make();
      });
    },
  }),
];
