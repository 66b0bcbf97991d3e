import type { Mutant } from '../../kernel/mutant.ts';
import { batchMutant } from './spoil.ts';

/** Lies about the options that the caller gave. */
export const inputMutants: Mutant[] = [
  batchMutant({
    id: 'options-object-filled-in',
    lie: "Writes a default into the caller's options.",
    target: 'send-batch/inputs-are-not-touched',
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, { ...options });
      if (options.chunkSize === undefined) {
        tools.lied();
        options.chunkSize = 100;
      }
      return outcomes;
    },
  }),
];
