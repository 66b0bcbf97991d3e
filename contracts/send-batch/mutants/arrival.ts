import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { ReceivedMessage, SendBatchPort } from '../port.ts';
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
  mutant<SendBatchPort>({
    id: 'received-before-due',
    lie: 'Hands out messages that are not due yet, after those that are.',
    target: 'send-batch/time-is-exact',
    needs: ['fifo', 'delay'],
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { receive } = honest;
      if (!receive) return honest;
      const waiting: ReceivedMessage[] = [];
      return {
        ...honest,
        sendBatch: async (messages, options) => {
          const outcomes = await honest.sendBatch(messages, options);
          for (const [slot, outcome] of outcomes.entries()) {
            const { body, delay } = messages[slot]!;
            if ('stored' in outcome && delay !== undefined && delay > 0) waiting.push({ id: outcome.stored, body });
          }
          return outcomes;
        },
        receive: async (count) => {
          const received = await receive(count);
          const early = waiting.splice(0, count - received.length);
          if (early.length > 0) tools.lied();
          return [...received, ...early];
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
