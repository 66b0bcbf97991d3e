import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { Message, SendBatchPort } from '../port.ts';
import { passedThrough } from './spoil.ts';

/** Lies of the batch call that has ended when it returns. */
export const syncMutants: Mutant[] = [
  mutant<SendBatchPort>({
    id: 'sync-path-drops-priority',
    lie: 'Does not store the priority of messages that are sent by the synchronous call.',
    target: 'send-batch/sync-and-async-agree',
    needs: ['priority'],
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { sendBatchSync } = honest;
      if (!sendBatchSync) return honest;
      return {
        ...honest,
        sendBatchSync: (messages, options) => {
          if (messages.some(({ priority }) => priority !== undefined)) tools.lied();
          return sendBatchSync(messages.map(withoutPriority), options);
        },
      };
    },
  }),
];

function withoutPriority({ priority: _dropped, ...message }: Message): Message {
  return message;
}
