import type { Mutant } from '../../../kernel/mutant.ts';
import type { Expected, Window, WindowResult } from '../../port.ts';
import { addAudit } from './audit.ts';
import { alike, createdIn, type Honest, isLostBy, lostBy, lyingMutant } from './calls.ts';
import { ofSchedules } from './killers.ts';

const staleVersion = 'materialize-window/stale-version-writes-nothing';
const staleCursor = 'materialize-window/stale-cursor-writes-nothing';
const inactive = 'materialize-window/inactive-parent-writes-nothing';
const precedence = 'materialize-window/precedence-is-fixed';
const repeat = 'materialize-window/repeat-is-harmless';

/** Serves a caller whose expectation is wrong, as long as his slots are free. */
async function servedAnyway(
  window: Window,
  { ask, notes, tools }: Honest,
  result: WindowResult,
  expectation: Partial<Expected>,
): Promise<WindowResult> {
  if (window.slots.some((slot) => notes.isTaken(window.schedule, slot))) return result;
  const served = await ask({ ...window, ...expectation });
  if (createdIn(served) === 0) return result;
  tools.lied();
  return served;
}

/** Lies about calls that lose by the version, the cursor or the schedule itself. */
export const lossMutants: Mutant[] = [
  lyingMutant({
    id: 'version-not-checked',
    lie: 'Serves a caller who expects another version.',
    target: staleVersion,
    // Served slot by slot, a window has free slots behind one that is taken.
    alsoKilledBy: [precedence],
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      const known = honest.notes.schedule(window.schedule);
      if (!known || !isLostBy('version-mismatch', result)) return result;
      return servedAnyway(window, honest, result, { expectedVersion: known.version });
    }),
  }),
  lyingMutant({
    id: 'stale-version-still-audits',
    lie: 'Leaves an audit row when a caller expects another version.',
    target: staleVersion,
    needs: ['audit'],
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      if (isLostBy('version-mismatch', result)) await addAudit(honest, window.schedule, window.now);
      return result;
    }),
  }),
  lyingMutant({
    id: 'version-bumped-by-a-window',
    lie: 'Raises the version of a schedule that has run before when a window of it is materialized.',
    target: staleVersion,
    alsoKilledBy: [repeat, ...ofSchedules],
    lies: {
      async window(window, { ask, put, notes, tools }) {
        const result = await ask(window);
        const known = notes.schedule(window.schedule);
        if (!known?.runs || createdIn(result) === 0 || result.cursor === null) return result;
        await put({ ...known, cursor: result.cursor, runs: result.runs, version: known.version + 1 });
        tools.lied();
        return result;
      },
    },
  }),
  lyingMutant({
    id: 'cursor-not-checked',
    lie: 'Serves a caller who expects another cursor.',
    target: staleCursor,
    // Served slot by slot, a window has free slots behind one that is taken.
    alsoKilledBy: [precedence],
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      if (window.expectedCursor === null || !isLostBy('cursor-moved', result)) return result;
      return servedAnyway(window, honest, result, { expectedCursor: result.cursor });
    }),
  }),
  lyingMutant({
    id: 'null-cursor-as-is-null',
    lie: 'Serves a caller who expects no cursor as if he expected any.',
    target: staleCursor,
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      if (window.expectedCursor !== null || !isLostBy('cursor-moved', result)) return result;
      return servedAnyway(window, honest, result, { expectedCursor: result.cursor });
    }),
  }),
  lyingMutant({
    id: 'cancelled-parent-served',
    lie: 'Creates the children of a schedule that was cancelled.',
    target: inactive,
    // Served slot by slot, a window has free slots behind one that is taken.
    alsoKilledBy: [precedence],
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      const known = honest.notes.schedule(window.schedule);
      if (known?.status !== 'cancelled' || known.cursor === null || !isLostBy('parent-inactive', result)) return result;
      await honest.put({ ...known, status: 'active' });
      const served = await servedAnyway(window, honest, result, {});
      await honest.put({ ...known, cursor: served.cursor, runs: served.runs });
      return served;
    }),
  }),
  lyingMutant({
    id: 'missing-parent-throws',
    lie: 'Throws when the schedule is not there.',
    target: inactive,
    lies: alike(async (window, { ask, notes, tools }) => {
      const result = await ask(window);
      if (notes.schedule(window.schedule) || !isLostBy('parent-inactive', result)) return result;
      tools.lied();
      throw new Error(`there is no schedule ${window.schedule}`);
    }),
  }),
  lyingMutant({
    id: 'finished-gets-a-cursor-back',
    lie: 'Gives a completed schedule the cursor after the slots that it refuses.',
    target: inactive,
    lies: alike(async (window, { ask, put, notes, tools }) => {
      const result = await ask(window);
      const known = notes.schedule(window.schedule);
      const next = window.slots.at(-1)?.next;
      if (known?.status !== 'completed' || known.cursor !== null || !next) return result;
      await put({ ...known, cursor: next });
      tools.lied();
      return result;
    }),
  }),
  lyingMutant({
    id: 'version-before-parent',
    lie: 'Tells a wrong version of a schedule that is not served anyway.',
    target: precedence,
    lies: alike(async (window, { ask, notes, tools }) => {
      const result = await ask(window);
      const known = notes.schedule(window.schedule);
      if (!known || known.version === window.expectedVersion || !isLostBy('parent-inactive', result)) return result;
      tools.lied();
      return lostBy('version-mismatch', result);
    }),
  }),
  lyingMutant({
    id: 'cursor-before-version',
    lie: 'Tells a wrong cursor where the version is wrong as well.',
    target: precedence,
    lies: alike(async (window, { ask, tools }) => {
      const result = await ask(window);
      if (!isLostBy('version-mismatch', result) || isAt(window.expectedCursor, result.cursor)) return result;
      tools.lied();
      return lostBy('cursor-moved', result);
    }),
  }),
  lyingMutant({
    id: 'slot-before-cursor',
    lie: 'Tells that a slot is taken where the cursor is wrong as well.',
    target: precedence,
    // Who repeats a call has a cursor that is old and slots that are taken.
    alsoKilledBy: [repeat],
    lies: alike(async (window, { ask, notes, tools }) => {
      const result = await ask(window);
      if (!isLostBy('cursor-moved', result)) return result;
      const outcomes = window.slots.map((slot, i) =>
        notes.isTaken(window.schedule, slot) ? ('already-exists' as const) : result.outcomes[i]!,
      );
      if (outcomes.includes('already-exists')) tools.lied();
      return { ...result, outcomes };
    }),
  }),
];

function isAt(expected: string | null, cursor: string | null): boolean {
  if (expected === null || cursor === null) return expected === cursor;
  return Date.parse(expected) === Date.parse(cursor);
}
