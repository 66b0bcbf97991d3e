import type { Mutant } from '../../kernel/mutant.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, failWhole, hasFailed } from './spoil.ts';

/** Each message is a write of its own, which everything about whole batches may notice. */
const noticing = [
  'send-batch/nothing-persists-after-failure',
  'send-batch/no-partial-visibility',
  'send-batch/every-outcome-reports-the-failure',
  'send-batch/unserializable-body-fails-whole',
  'send-batch/scheduled-jobs-are-rejected',
  'send-batch/backend-usable-after-failure',
  'send-batch/commit-failure-is-reported',
  'send-batch/transient-fault-ends-whole',
  'send-batch/concurrent-failure-is-isolated',
  'send-batch/server-abort-is-reported',
  'send-batch/lost-ack-is-all-or-nothing',
  'send-batch/unknown-is-told',
  'send-batch/acknowledged-survives-crash',
  'send-batch/cancelled-is-all-or-nothing',
  'send-batch/abort-takes-effect',
  'send-batch/usable-after-abort',
  'setup/capability-is-honest',
  'setup/chunks-are-crossed',
];

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
      ...noticing,
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
  batchMutant({
    id: 'loop-of-singles',
    lie: 'Sends the messages of a batch one after the other.',
    target: 'send-batch/is-one-round-trip-per-chunk',
    alsoKilledBy: [...noticing, 'send-batch/is-one-commit'],
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = [];
      // The caller's objects may change between two writes.
      for (const message of ordinaryCopy(messages) ?? messages) {
        const reply = await ask(honest, [message], options);
        if (hasFailed(reply)) return answer(reply);
        outcomes.push(...answer(reply));
      }
      if (messages.length > 1) tools.lied();
      return outcomes;
    },
  }),
];
