import type { Mutant } from '../../kernel/mutant.ts';
import { batchMutant } from './spoil.ts';

/** Lies about what an outcome says of its message beside the id. */
export const outcomeFieldMutants: Mutant[] = [
  batchMutant({
    id: 'correlation-id-of-the-neighbour',
    lie: 'Reports with every outcome the correlation id of the next message.',
    target: 'send-batch/outcome-describes-its-message',
    needs: ['correlationId'],
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      const told = outcomes.map(({ about }) => about?.correlationId);
      if (new Set(told).size < 2) return outcomes;
      tools.lied();
      return outcomes.map((outcome, slot) => {
        const correlationId = told[(slot + 1) % told.length];
        return { ...outcome, about: { ...outcome.about, correlationId } };
      });
    },
  }),
];
