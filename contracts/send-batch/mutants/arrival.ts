import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { SendBatchPort } from '../port.ts';
import { optionsOf } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/equal-times-stay-in-order';

/** Lies about the order of arrival; ids and rows are right. */
export const arrivalMutants: Mutant[] = [
  mutant<SendBatchPort>({
    id: 'received-in-text-order',
    lie: 'Hands messages to a receiver sorted by their ids as text, so that 10 comes before 9.',
    target,
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { receive } = honest;
      if (!receive) return honest;
      return {
        ...honest,
        receive: async (count) => {
          const received = await receive(count);
          const sorted = received.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
          if (sorted.some((message, i) => message !== received[i])) tools.lied();
          return sorted;
        },
      };
    },
  }),
  batchMutant({
    id: 'inserted-backwards',
    lie: 'Inserts the messages of a batch from the last to the first, and reports them in their own order.',
    target,
    spoil: (honest, tools) => async (messages, options) => {
      // Messages that set options are for other guards.
      if (messages.length < 2 || messages.some((message) => optionsOf(message).length > 0))
        return honest(messages, options);
      const outcomes = await honest(messages.toReversed(), options);
      tools.lied();
      return outcomes.toReversed();
    },
  }),
];
