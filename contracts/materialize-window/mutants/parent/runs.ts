import type { Mutant } from '../../../kernel/mutant.ts';
import type { WindowResult } from '../../port.ts';
import { type Answer, alike, createdIn, lyingMutant } from './calls.ts';
import { ofSchedules } from './killers.ts';

/** The largest run count. */
const mostRuns = 2_147_483_647;

/** A lie about the run count of a schedule that goes on: the count that is stored and told, or undefined for the truth. */
function counting(wrong: (before: number | null, result: WindowResult) => number | null | undefined): Answer {
  return async (window, { ask, put, notes, tools }) => {
    const result = await ask(window);
    const known = notes.schedule(window.schedule);
    if (!known || result.cursor === null) return result;
    const runs = wrong(known.runs, result);
    if (runs === undefined) return result;
    await put({ ...known, cursor: result.cursor, runs });
    tools.lied();
    return { ...result, runs };
  };
}

/** Lies about the run count. */
export const runMutants: Mutant[] = [
  lyingMutant({
    id: 'conflict-counts-as-run',
    lie: 'Counts the slots of a window that are taken as runs.',
    target: 'materialize-window/conflict-spends-no-run',
    alsoKilledBy: ofSchedules,
    lies: {
      window: counting((_before, { outcomes, runs }) => {
        const taken = outcomes.filter((outcome) => outcome === 'already-exists').length;
        return taken === 0 || runs === null ? undefined : Math.min(mostRuns, runs + taken);
      }),
    },
  }),
  lyingMutant({
    id: 'run-count-wraps',
    lie: 'Goes on with the smallest integer behind the largest run count.',
    target: 'materialize-window/run-count-saturates',
    lies: alike(
      counting((before, result) => {
        const sum = (before ?? 0) + createdIn(result);
        // As arithmetic on 32 bits makes it.
        return sum > mostRuns ? sum | 0 : undefined;
      }),
    ),
  }),
  lyingMutant({
    id: 'null-count-stays-null',
    lie: 'Leaves a run count that is null as it is, as adding to null does.',
    target: 'materialize-window/null-run-count-counts-as-zero',
    lies: alike(counting((before, result) => (before === null && createdIn(result) > 0 ? null : undefined))),
  }),
];
