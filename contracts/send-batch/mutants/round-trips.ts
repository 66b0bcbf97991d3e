import type { Mutant } from '../../kernel/mutant.ts';
import { named } from '../../writing/mutants/batching.ts';
import { ofSingles } from '../../writing/mutants/killers.ts';
import { answer, ask, failWhole, hasFailed } from '../../writing/mutants/replies.ts';
import { batchMutant } from './spoil.ts';

/** Lies about how a batch travels. */
export const roundTripMutants: Mutant[] = [
  batchMutant({
    id: 'fan-out-of-singles',
    lie: 'Sends the messages of a batch all at once, each in a transaction of its own.',
    target: 'send-batch/is-one-commit',
    alsoKilledBy: [
      'send-batch/failures-at-once-leave-nothing',
      'send-batch/explicit-falsy-is-kept',
      'send-batch/invalid-message-fails-whole',
      'send-batch/unknown-destination-fails-whole',
      'send-batch/unsupported-option-is-refused',
      'send-batch/every-outcome-reports-the-failure',
      'send-batch/unserializable-body-fails-whole',
      'send-batch/scheduled-jobs-are-rejected',
      ...ofSingles.map((guard) => named('send-batch', guard)),
      'send-batch/is-one-round-trip-per-chunk',
      // Where a key that is taken refuses the batch.
      'send-batch/duplicates-are-named',
      'send-batch/duplicate-inside-the-batch',
    ],
    spoil: (honest, tools) => async (messages, options) => {
      const replies = await Promise.all(messages.map((message) => ask(honest, [message], options)));
      const failed = replies.find(hasFailed);
      if (failed) return failWhole(failed, messages.length);
      if (messages.length > 1) tools.lied();
      return replies.flatMap(answer);
    },
  }),
];
