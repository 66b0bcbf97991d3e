import type { Mutant } from '../../../kernel/mutant.ts';
import { setupMutant } from '../../../setup/mutants/spoil.ts';
import { auditLevels, type Slot } from '../../port.ts';
import { addAudit } from '../parent/audit.ts';
import { alike, lyingMutant } from '../parent/calls.ts';
import { keyOf, withReads } from './reads.ts';

const target = 'materialize-window/audit-rows-per-slot';

/** Lies about the audit, and about what its level changes. */
export const auditMutants: Mutant[] = [
  lyingMutant({
    id: 'audit-for-conflicts',
    lie: 'Leaves a row in the audit for each slot that is taken.',
    target,
    // A single slot that is taken writes nothing, the first time and any other.
    alsoKilledBy: ['materialize-window/taken-slot-leaves-the-single-unmoved', 'materialize-window/repeat-is-harmless'],
    needs: ['audit'],
    lies: alike(async (window, honest) => {
      const result = await honest.ask(window);
      for (const outcome of result.outcomes)
        if (outcome === 'already-exists') await addAudit(honest, window.schedule, window.now);
      return result;
    }),
  }),
  setupMutant({
    id: 'audit-of-slot-zero-for-all',
    lie: 'Names in each row of the audit the first slot that the window has created.',
    target,
    alsoKilledBy: ['materialize-window/equals-the-model'],
    cannot: ({ givesUp }) => (givesUp.bulk === undefined ? undefined : 'a call creates one slot at most'),
    bench(bench, lied) {
      const firsts = new Map<string, string>();
      return withReads(bench, {
        heard({ expected: { schedule }, slots, outcomes }) {
          const created = slots.filter((_, i) => typeof outcomes[i] === 'object');
          for (const { at } of created.slice(1)) firsts.set(keyOf(schedule, at), created[0]!.at);
        },
        shown(rows, what) {
          if (what !== 'audits') return rows;
          return rows.map((row) => {
            const first = firsts.get(keyOf(row.schedule, row.slotAt));
            if (first === undefined) return row;
            lied();
            return { ...row, slotAt: first };
          });
        },
      });
    },
  }),
  lyingMutant({
    id: 'level-changes-the-rows',
    lie: 'Where nothing is to be audited children are stored without their options.',
    target,
    cannot: ({ offers }) => (offers.length === 0 ? 'a child has no options' : undefined),
    lies: alike(async (window, { ask, tools }) => {
      if (window.auditLevel !== 'none') return ask(window);
      tools.lied();
      return ask({ ...window, slots: window.slots.map(bare) });
    }),
  }),
  lyingMutant({
    id: 'unknown-level-is-none',
    lie: 'Leaves nothing in the audit of the children that it creates at a level that it does not know.',
    target,
    needs: ['audit'],
    lies: alike(async (window, { ask, tools }) => {
      const isKnown = (auditLevels as readonly string[]).includes(window.auditLevel);
      // What it does of the end of the grid is for other guards.
      if (isKnown || window.slots.some(({ next }) => next === null)) return ask(window);
      tools.lied();
      return ask({ ...window, auditLevel: 'none' });
    }),
  }),
];

function bare(slot: Slot): Slot {
  return { ...slot, child: { body: slot.child.body } };
}
