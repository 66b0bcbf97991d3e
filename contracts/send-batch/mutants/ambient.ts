import { AsyncResource } from 'node:async_hooks';
import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { SendBatchPort } from '../port.ts';

/** Lies about the ambient context of a call. */
export const ambientMutants: Mutant[] = [
  mutant<SendBatchPort>({
    id: 'ambient-context-forgotten',
    lie: 'Sends a batch of several outside of the ambient context in which it was called.',
    target: 'send-batch/ambient-context-is-kept',
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { inContext } = honest;
      if (!inContext) return honest;
      const outside = new AsyncResource('outside');
      let inside = false;
      return {
        ...honest,
        inContext: (context, call) =>
          inContext(context, () => {
            inside = true;
            try {
              return call();
            } finally {
              inside = false;
            }
          }),
        sendBatch: async (messages, options) => {
          if (!inside || messages.length < 2) return honest.sendBatch(messages, options);
          tools.lied();
          // A context may hold for what is called in it, or for all that follows from it: this is neither.
          await new Promise((resolve) => tools.later(() => resolve(undefined), 0));
          return outside.runInAsyncScope(() => honest.sendBatch(messages, options));
        },
      };
    },
  }),
];
