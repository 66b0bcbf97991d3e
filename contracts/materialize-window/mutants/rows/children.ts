import { tokenIn } from '../../../kernel/bodies.ts';
import type { Mutant } from '../../../kernel/mutant.ts';
import { except } from '../../../kernel/with-rigs.ts';
import { setupMutant, withLeases } from '../../../setup/mutants/spoil.ts';
import { isPlainData } from '../../../writing/mutants/plain-data.ts';
import type { Slot } from '../../port.ts';
import { alike, lyingMutant } from '../parent/calls.ts';
import { keyOf, withReads } from './reads.ts';

/** Lies about what is stored of a child. */
export const childMutants: Mutant[] = [
  lyingMutant({
    id: 'payload-of-slot-zero-for-all',
    lie: 'Stores with every child of a window the payload of its first slot, but for the nonce.',
    target: 'materialize-window/metadata-per-slot',
    lies: {
      async window(window, { ask, tools }) {
        const [first, ...others] = window.slots;
        if (others.length === 0) return ask(window);
        tools.lied();
        return ask({ ...window, slots: [first!, ...others.map((slot) => withPayloadOf(first!, slot))] });
      },
    },
  }),
  lyingMutant({
    id: 'options-of-slot-zero-for-all',
    lie: 'Stores with every child of a window the options of its first slot.',
    target: 'materialize-window/metadata-per-slot',
    cannot: ({ offers }) => (offers.length === 0 ? 'a child has no options' : undefined),
    lies: {
      async window(window, { ask, tools }) {
        const [first, ...others] = window.slots;
        if (others.length === 0) return ask(window);
        tools.lied();
        const { body: _, ...options } = first!.child;
        const alikes = others.map((slot) => ({ ...slot, child: { body: slot.child.body, ...options } }));
        return ask({ ...window, slots: [first!, ...alikes] });
      },
    },
  }),
  lyingMutant({
    id: 'route-in-small-letters',
    lie: 'Stores routes in small letters.',
    target: 'materialize-window/metadata-per-slot',
    cannot: ({ offers }) => (offers.includes('route') ? undefined : 'a child has no route'),
    lies: alike((window, { ask, tools }) => {
      const slots = window.slots.map((slot) => {
        const { route } = slot.child;
        if (route === undefined || route === route.toLowerCase()) return slot;
        tools.lied();
        return { ...slot, child: { ...slot.child, route: route.toLowerCase() } };
      });
      return ask({ ...window, slots });
    }),
  }),
  setupMutant({
    id: 'callers-status-kept',
    lie: "Stores a child with the status that the caller's object carries.",
    target: 'materialize-window/canonical-child-row',
    bench(bench, lied) {
      const carried = new Map<string, unknown>();
      return withReads(bench, {
        heard({ expected: { schedule }, slots }) {
          for (const { at, child } of slots)
            if ('status' in child) carried.set(keyOf(schedule, at), (child as { status?: unknown }).status);
        },
        shown(rows, what) {
          if (what !== 'rows') return rows;
          return rows.map((row) => {
            const key = keyOf(row.schedule, row.slotAt);
            if (!carried.has(key)) return row;
            lied();
            return { ...row, status: carried.get(key) };
          });
        },
      });
    },
  }),
  lyingMutant({
    id: 'any-unique-violation-is-a-slot-conflict',
    lie: 'Takes whatever unique constraint refuses a row for the slot being taken.',
    target: 'materialize-window/foreign-conflict-is-an-error',
    // They make the engine refuse rows by a unique constraint as well.
    alsoKilledBy: [
      'materialize-window/nothing-persists-after-failure',
      'materialize-window/transient-fault-ends-whole',
    ],
    lies: alike(async (window, { ask, notes, tools }) => {
      try {
        return await ask(window);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        tools.lied();
        const { runs = null } = notes.schedule(window.schedule) ?? {};
        return { outcomes: window.slots.map(() => 'already-exists'), cursor: window.expectedCursor, runs };
      }
    }),
  }),
  setupMutant({
    id: 'index-missing',
    lie: 'The table of the children has no unique index: what another session inserts twice is there twice.',
    target: 'materialize-window/storage-enforces-the-slot',
    bench: (bench, lied) =>
      withLeases(bench, (lease) => ({
        async begin() {
          const transaction = await lease.begin();
          return except(transaction, {
            run: (...statement) =>
              transaction.run(...statement).catch(() => {
                lied();
                return 1;
              }),
          });
        },
      })),
  }),
];

/** The slot with what another one holds; its own nonce tells that it is its child. */
function withPayloadOf({ child }: Slot, slot: Slot): Slot {
  const [nonce, own] = [tokenIn(child.body), tokenIn(slot.child.body)];
  if (nonce === undefined || own === undefined || !isPlainData(slot.child.body)) return slot;
  const body: unknown =
    child.body instanceof Uint8Array
      ? new TextEncoder().encode(new TextDecoder().decode(child.body).replaceAll(nonce, own))
      : JSON.parse(JSON.stringify(child.body).replaceAll(nonce, own));
  return { ...slot, child: { ...slot.child, body } };
}

function isUniqueViolation(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (/unique/i.test(cause.message) || (cause as { code?: unknown }).code === '23505') return true;
  return false;
}
