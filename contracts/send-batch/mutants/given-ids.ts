import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message } from '../port.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/caller-ids-are-kept';

/** Lies about ids that the caller gives. */
export const givenIdMutants: Mutant[] = [
  batchMutant({
    id: 'caller-id-replaced',
    lie: "Lets the engine choose the ids of a batch of several although the caller gave them, and reports the engine's.",
    target,
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.length < 4 || messages.every(({ id }) => id === undefined)) return honest(messages, options);
      tools.lied();
      return honest(messages.map(withoutId), options);
    },
  }),
  batchMutant({
    id: 'caller-id-matched-as-text',
    lie: "Reports as failed a message whose id the caller spells in another way than the engine's own lower case.",
    target,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      return outcomes.map((outcome, slot): ReportedOutcome => {
        const { id = '' } = messages[slot] ?? {};
        if (id === id.toLowerCase() || !('stored' in outcome)) return outcome;
        tools.lied();
        return { failed: new Error(`the insert returned no row with the id ${id}`) };
      });
    },
  }),
];

function withoutId({ id: _dropped, ...message }: Message): Message {
  return message;
}
