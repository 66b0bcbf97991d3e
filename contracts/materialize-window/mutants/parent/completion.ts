import type { Mutant } from '../../../kernel/mutant.ts';
import type { Window, WindowResult } from '../../port.ts';
import { alike, lyingMutant, minuteAfter } from './calls.ts';
import { ofOutcomes } from './killers.ts';

const completes = 'materialize-window/last-slot-completes-the-schedule';

/** Whether the last slot of a window was created, and was the end of the grid. */
function ends({ slots }: Window, { outcomes, cursor }: WindowResult): boolean {
  return cursor === null && slots.at(-1)!.next === null && typeof outcomes.at(-1) === 'object';
}

/** Lies about the end of a grid. */
export const completionMutants: Mutant[] = [
  lyingMutant({
    id: 'completion-in-a-second-commit',
    lie: 'Commits the last child first, and completes the schedule in a transaction of its own.',
    target: completes,
    lies: alike(async (window, { ask, advance, tools }) => {
      const { slots, ...expected } = window;
      const last = slots.at(-1);
      if (last === undefined || slots.findIndex(({ next }) => next === null) !== slots.length - 1) return ask(window);
      const result = await ask({ ...window, slots: [...slots.slice(0, -1), { ...last, next: minuteAfter(last) }] });
      if (typeof result.outcomes.at(-1) === 'string' && result.outcomes.at(-1) !== 'already-exists') return result;
      if ((await advance({ ...expected, expectedCursor: minuteAfter(last), next: null })) !== 'advanced') return result;
      tools.lied();
      return { ...result, cursor: null };
    }),
  }),
  lyingMutant({
    id: 'completion-audited-twice',
    lie: 'Leaves a second audit row when it completes a schedule.',
    target: completes,
    needs: ['audit'],
    lies: alike(async (window, { ask, advance, put, notes, tools }) => {
      const result = await ask(window);
      const known = notes.schedule(window.schedule);
      if (!known || !ends(window, result) || ['errors-only', 'none'].includes(window.auditLevel)) return result;
      const { slots, ...expected } = window;
      const cursor = slots.at(-1)!.at;
      await put({ ...known, status: 'active', cursor, runs: result.runs, error: null });
      if ((await advance({ ...expected, expectedCursor: cursor, next: null })) === 'advanced') tools.lied();
      return result;
    }),
  }),
  lyingMutant({
    id: 'error-not-cleared',
    lie: 'Leaves the error of a schedule that it completes.',
    target: completes,
    lies: alike(async (window, { ask, notes, tools }) => {
      const result = await ask(window);
      const error = notes.schedule(window.schedule)?.error ?? null;
      if (error === null || !ends(window, result)) return result;
      await tools.hand.edit((row) => {
        const column = Object.keys(row).find((name) => /error/i.test(name));
        if (column === undefined || !Object.values(row).includes(window.schedule)) return;
        row[column] = error;
        tools.lied();
      });
      return result;
    }),
  }),
  lyingMutant({
    id: 'taken-last-slot-leaves-it-open',
    lie: 'Stays at the last slot of the grid when it is taken.',
    target: 'materialize-window/taken-last-slot-still-completes',
    lies: {
      async window(window, { ask, put, notes, tools }) {
        const result = await ask(window);
        const known = notes.schedule(window.schedule);
        const { at, next } = window.slots.at(-1) ?? {};
        if (!known || at === undefined || next !== null || result.outcomes.at(-1) !== 'already-exists') return result;
        await put({ ...known, cursor: at, runs: result.runs });
        tools.lied();
        return { ...result, cursor: at };
      },
    },
  }),
  lyingMutant({
    id: 'writes-on-after-the-end',
    lie: 'Creates the children of slots behind the end of the grid as well.',
    target: 'materialize-window/slots-after-completion-are-inactive',
    alsoKilledBy: ofOutcomes,
    lies: {
      async window(window, { ask, advance, tools }) {
        const { slots, ...expected } = window;
        const end = slots.findIndex(({ next }) => next === null);
        if (end < 0 || end === slots.length - 1) return ask(window);
        const going = slots.map((slot) => ({ ...slot, next: minuteAfter(slot) }));
        const result = await ask({ ...window, slots: going });
        if (typeof result.outcomes[end] === 'string' && result.outcomes[end] !== 'already-exists') return result;
        tools.lied();
        await advance({ ...expected, expectedCursor: result.cursor, next: null });
        return { ...result, cursor: null };
      },
    },
  }),
];
