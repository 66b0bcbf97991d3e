import type { Mutant } from '../../../kernel/mutant.ts';
import { alike, isLostBy, lyingMutant } from '../parent/calls.ts';

const target = 'materialize-window/equals-the-model';

/** Slots of a window that are written by the lie of a window that is cut. */
const most = 1_000;

/** Lies that need slots close to each other, slots of the past, many of them, or values at an edge. */
export const gridMutants: Mutant[] = [
  lyingMutant({
    id: 'cursor-compared-to-the-minute',
    lie: 'Takes an expected cursor for the live one that is another instant of the same minute.',
    target,
    lies: alike(async (window, { ask, notes, tools }) => {
      const result = await ask(window);
      const cursor = notes.schedule(window.schedule)?.cursor;
      if (!cursor || window.expectedCursor === null || !isLostBy('cursor-moved', result)) return result;
      const minutes = [cursor, window.expectedCursor].map((at) => Math.floor(Date.parse(at) / 60_000));
      if (minutes[0] !== minutes[1]) return result;
      const again = await ask({ ...window, expectedCursor: cursor });
      if (!isLostBy('cursor-moved', again)) tools.lied();
      return again;
    }),
  }),
  lyingMutant({
    id: 'past-slot-is-due-now',
    lie: 'Makes a child whose slot is past due at the moment of the call.',
    target,
    cannot: ({ offers }) => (offers.includes('delay') ? undefined : 'a child has no delay'),
    lies: alike((window, { ask, tools }) => {
      const now = Date.parse(window.now);
      const slots = window.slots.map((slot) => {
        const at = Date.parse(slot.at);
        if (at + (slot.child.delay ?? 0) >= now) return slot;
        tools.lied();
        return { ...slot, child: { ...slot.child, delay: now - at } };
      });
      return ask({ ...window, slots });
    }),
  }),
  lyingMutant({
    id: 'window-cut-at-a-thousand',
    lie: 'Writes the first thousand slots of a window, and tells all others as created.',
    target,
    lies: {
      async window(window, { ask, tools }) {
        const result = await ask({ ...window, slots: window.slots.slice(0, most) });
        const last = result.outcomes.at(-1);
        if (window.slots.length <= most || typeof last !== 'object') return result;
        tools.lied();
        return { ...result, outcomes: window.slots.map((_, slot) => result.outcomes[slot] ?? last) };
      },
    },
  }),
  lyingMutant({
    id: 'version-zero-unchecked',
    lie: 'Does not look at the expected version of a schedule whose version is 0.',
    target,
    lies: alike(async (window, { ask, notes, tools }) => {
      if (notes.schedule(window.schedule)?.version !== 0) return ask(window);
      if (window.expectedVersion !== 0) tools.lied();
      return ask({ ...window, expectedVersion: 0 });
    }),
  }),
  lyingMutant({
    id: 'unknown-level-audits-nothing',
    lie: "Takes 'NONE' and an empty level for 'none'.",
    target,
    needs: ['audit'],
    lies: alike((window, { ask, tools }) => {
      if (window.auditLevel !== '' && window.auditLevel !== 'NONE') return ask(window);
      tools.lied();
      return ask({ ...window, auditLevel: 'none' });
    }),
  }),
];
