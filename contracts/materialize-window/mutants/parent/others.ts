import type { Mutant } from '../../../kernel/mutant.ts';
import { addAudit } from './audit.ts';
import { alike, createdIn, lyingMutant } from './calls.ts';
import { ofSchedules } from './killers.ts';

const others = 'materialize-window/other-schedules-are-untouched';
const repeat = 'materialize-window/repeat-is-harmless';

/** Lies about what a call leaves alone. */
export const untouchedMutants: Mutant[] = [
  lyingMutant({
    id: 'advance-counts-a-run',
    lie: 'Counts it as a run that a schedule is advanced past a slot.',
    target: 'materialize-window/advance-moves-only-the-cursor',
    // Where windows are served slot by slot, every slot that is taken is advanced past.
    alsoKilledBy: [
      'materialize-window/conflict-spends-no-run',
      'materialize-window/null-run-count-counts-as-zero',
      'materialize-window/taken-last-slot-still-completes',
      ...ofSchedules,
    ],
    lies: {
      async advance(advance, { advance: ask, put, notes, tools }) {
        const told = await ask(advance);
        const known = notes.schedule(advance.schedule);
        if (told !== 'advanced' || !known || advance.next === null) return told;
        await put({ ...known, cursor: advance.next, runs: (known.runs ?? 0) + 1 });
        tools.lied();
        return told;
      },
    },
  }),
  lyingMutant({
    id: 'taken-slot-moves-the-single',
    lie: 'Moves the cursor past a single slot that is taken.',
    target: 'materialize-window/taken-slot-leaves-the-single-unmoved',
    // Whoever repeats the call finds that the cursor has moved.
    alsoKilledBy: [repeat, ...ofSchedules],
    lies: {
      async single(window, { ask, advance, tools }) {
        const result = await ask(window);
        const { slots, ...expected } = window;
        const { next } = slots[0]!;
        if (result.outcomes[0] !== 'already-exists' || next === null) return result;
        if ((await advance({ ...expected, next })) !== 'advanced') return result;
        tools.lied();
        return { ...result, cursor: next };
      },
    },
  }),
  lyingMutant({
    id: 'unique-on-slot-alone',
    lie: 'Takes slots for taken that have their children under another schedule.',
    target: others,
    // It compares what two schedules make of the same slots.
    alsoKilledBy: ['materialize-window/canonical-child-row'],
    lies: alike(async (window, { ask, advance, notes, tools }) => {
      const { slots, ...expected } = window;
      if (slots.length === 0 || !slots.every((slot) => notes.isTakenElsewhere(window.schedule, slot)))
        return ask(window);
      tools.lied();
      await advance({ ...expected, next: slots.at(-1)!.next });
      const runs = notes.schedule(window.schedule)?.runs ?? null;
      return { outcomes: slots.map(() => 'already-exists' as const), cursor: slots.at(-1)!.next, runs };
    }),
  }),
  lyingMutant({
    id: 'schedule-id-in-any-case',
    lie: 'Serves a schedule that was put before and whose id is the same but for capitals.',
    target: others,
    lies: alike((window, { ask, notes, tools }) => {
      const served = notes.first();
      if (!served || served.id === window.schedule) return ask(window);
      if (served.id.toLowerCase() !== window.schedule.toLowerCase()) return ask(window);
      tools.lied();
      return ask({ ...window, schedule: served.id });
    }),
  }),
  lyingMutant({
    id: 'cursor-of-every-schedule',
    lie: 'Moves another schedule that has run before and stands at the same cursor along.',
    target: others,
    lies: alike(async (window, { ask, advance, notes, tools }) => {
      const result = await ask(window);
      const other = notes.first();
      if (!other?.runs || other.id === window.schedule || other.cursor !== window.expectedCursor) return result;
      if (createdIn(result) === 0 || result.cursor === null) return result;
      const { slots: _, ...expected } = window;
      const moved = { ...expected, schedule: other.id, expectedVersion: other.version, next: result.cursor };
      if ((await advance(moved)) === 'advanced') tools.lied();
      return result;
    }),
  }),
  lyingMutant({
    id: 'repeat-audits-again',
    lie: 'Leaves an audit row when a call that was served is made again.',
    target: repeat,
    needs: ['audit'],
    lies: alike(async (window, honest) => {
      const taken =
        window.slots.length > 0 && window.slots.every((slot) => honest.notes.isTaken(window.schedule, slot));
      const result = await honest.ask(window);
      const isLost = result.outcomes.every((outcome) => outcome === 'cursor-moved' || outcome === 'parent-inactive');
      if (taken && isLost) await addAudit(honest, window.schedule, window.now);
      return result;
    }),
  }),
];
