import type { Mutant } from '../../../kernel/mutant.ts';
import { idOf, repeatMutant, unlessRefused } from './sent.ts';

/** Lies about ids that are told beside duplicates. */
export const keyedIdMutants: Mutant[] = [
  repeatMutant({
    id: 'ids-counted-past-duplicates',
    lie: 'Counts the ids of what was stored by slot, as if no message had been left out: after the first duplicate each is that of a later message.',
    target: 'send-batch/ids-beside-duplicates',
    cannot: ({ keyPolicy, givesUp }) => givesUp.ids ?? unlessRefused({ keyPolicy }),
    told(outcomes, { again, whole }) {
      if (again.length === 0 || whole) return undefined;
      const inserted = outcomes.filter((outcome) => 'stored' in outcome).map(idOf);
      return outcomes.map((outcome, slot) =>
        'stored' in outcome ? { ...outcome, stored: inserted[slot] ?? inserted[0]! } : outcome,
      );
    },
  }),
];
