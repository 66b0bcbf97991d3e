import type { Mutant } from '../../../kernel/mutant.ts';
import { setupMutant } from '../../../setup/mutants/spoil.ts';
import { alike, lyingMutant } from '../parent/calls.ts';
import { withReads } from './reads.ts';

const clock = 'materialize-window/clock-is-the-declared-one';

/** Lies about instants: which is which, which comes first, and whose clock they are from. */
export const instantMutants: Mutant[] = [
  lyingMutant({
    id: 'instants-compared-as-text',
    lie: 'Takes the cursor that a caller expects for another one when it is written with another offset.',
    target: 'materialize-window/same-instant-other-offset',
    lies: alike(async (window, { ask, notes, tools }) => {
      const { expectedCursor, schedule, slots } = window;
      if (expectedCursor === null || expectedCursor.endsWith('Z')) return ask(window);
      tools.lied();
      const { cursor = null, runs = null } = notes.schedule(schedule) ?? {};
      return { outcomes: slots.map(() => 'cursor-moved'), cursor, runs };
    }),
  }),
  lyingMutant({
    id: 'disordered-window-sorted',
    lie: 'Sorts the slots of a window, whatever is declared of their order.',
    target: 'materialize-window/disordered-window-is-declared',
    // Their windows are out of order, too.
    alsoKilledBy: ['materialize-window/outcome-per-slot-in-order', 'materialize-window/duplicate-slot-in-one-window'],
    lies: {
      async window(window, { ask, tools }) {
        const slots = window.slots.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
        if (slots.some((slot, i) => slot !== window.slots[i])) tools.lied();
        return ask({ ...window, slots });
      },
    },
  }),
  lyingMutant({
    id: 'process-clock-stamps',
    lie: "Stamps what it writes by the clock of its process, and not by the caller's now.",
    target: clock,
    cannot: (declaration) => (declaration.clock === 'caller' ? undefined : 'the database stamps what is written'),
    lies: {
      ...alike(async (window, { ask, tools }) => {
        tools.lied();
        return ask({ ...window, now: new Date().toISOString() });
      }),
      async advance(advance, members) {
        members.tools.lied();
        return members.advance({ ...advance, now: new Date().toISOString() });
      },
    },
  }),
  setupMutant({
    id: 'callers-clock-stamps',
    lie: "Stamps what it writes by the caller's now, and not by the clock of the database.",
    target: clock,
    alsoKilledBy: ['materialize-window/equals-the-model'],
    cannot: (declaration) => (declaration.clock === 'database' ? undefined : "the caller's now is what is declared"),
    bench(bench, lied) {
      const stamps = new Map<unknown, string>();
      return withReads(bench, {
        heard: ({ expected: { schedule, now } }) => void stamps.set(schedule, now),
        shown: (rows) =>
          rows.map((row) => {
            const createdAt = stamps.get(row.schedule);
            if (createdAt === undefined || row.createdAt === undefined) return row;
            lied();
            return { ...row, createdAt };
          }),
      });
    },
  }),
];
