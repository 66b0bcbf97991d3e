import type { Mutant } from '../../../kernel/mutant.ts';
import { answer, ask, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message } from '../../port.ts';
import { batchMutant } from '../spoil.ts';
import { onlySkipped, repeatMutant } from './sent.ts';

/** Lies about batches that are sent again. */
export const replayMutants: Mutant[] = [
  batchMutant({
    id: 'keys-lost-on-reconnect',
    lie: 'Sends the first batch after one that failed, over a new connection, without its keys.',
    target: 'send-batch/retry-does-not-duplicate',
    spoil(honest, tools) {
      let lost = false;
      return async (messages, options) => {
        const hasKeys = messages.some(({ dedupeKey }) => dedupeKey !== undefined);
        const withoutKeys = lost && hasKeys;
        if (withoutKeys) tools.lied();
        const reply = await ask(honest, withoutKeys ? messages.map(keyless) : messages, options);
        lost = hasKeys && hasFailed(reply);
        return answer(reply);
      };
    },
  }),
  repeatMutant({
    id: 'replay-is-a-failure',
    lie: 'Answers a batch that is sent again by the words in which the engine refused its keys.',
    target: 'send-batch/replay-is-recognised',
    sent(_messages, { whole }) {
      if (!whole) return undefined;
      throw new Error('UNIQUE constraint failed: dedupe_key');
    },
  }),
  repeatMutant({
    id: 'old-key-hides-new-content',
    lie: 'Takes a message whose key was stored with another body for a plain duplicate.',
    target: 'send-batch/key-is-bound-to-content',
    cannot: onlySkipped,
    sent(messages, { again, first }) {
      const sentBefore = messages.map((message, slot) =>
        again.includes(slot) ? { ...message, body: first(slot)!.body } : message,
      );
      return JSON.stringify(sentBefore) === JSON.stringify(messages) ? undefined : sentBefore;
    },
  }),
];

function keyless({ dedupeKey: _key, ...message }: Message): Message {
  return message;
}
