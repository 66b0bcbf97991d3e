import type { Mutant } from '../../kernel/mutant.ts';
import { answer, ask, batchMutant, hasFailed } from './spoil.ts';

/** Lies about how a batch travels. */
export const roundTripMutants: Mutant[] = [
  batchMutant({
    id: 'loop-of-singles',
    lie: 'Sends the messages of a batch one after the other.',
    target: 'send-batch/is-one-round-trip-per-chunk',
    // Each message is a write of its own, which everything about whole batches may notice.
    alsoKilledBy: [
      'send-batch/nothing-persists-after-failure',
      'send-batch/no-partial-visibility',
      'send-batch/every-outcome-reports-the-failure',
      'send-batch/unserializable-body-fails-whole',
      'send-batch/scheduled-jobs-are-rejected',
      'send-batch/backend-usable-after-failure',
      'setup/capability-is-honest',
      'setup/chunks-are-crossed',
    ],
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = [];
      for (const message of messages) {
        const reply = await ask(honest, [message], options);
        if (hasFailed(reply)) return answer(reply);
        outcomes.push(...answer(reply));
      }
      if (messages.length > 1) tools.lied();
      return outcomes;
    },
  }),
];
