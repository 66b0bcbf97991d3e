import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, hasFailed, isRefused, type Reply } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort } from '../port.ts';
import { ofCalls, unsupported } from './refusals.ts';

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
  mutant<SendBatchPort>({
    id: 'sync-path-drops-options-of-the-call',
    lie: 'Drops an option of the synchronous call that is not supported, and stores the batch without it.',
    target: 'send-batch/unsupported-option-is-refused',
    needs: ['sync'],
    cannot: ({ offers }) => (ofCalls.every((o) => offers.includes(o)) ? 'every such option is offered' : undefined),
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { sendBatchSync } = honest;
      if (!sendBatchSync) return honest;
      return {
        ...honest,
        sendBatchSync: (messages, options) => {
          const reply = replyOf(() => sendBatchSync(messages, options));
          if (Object.keys(options).length === 0 || !isRefused(reply, unsupported)) return answer(reply);
          const without = replyOf(() => sendBatchSync(messages, {}));
          if (hasFailed(without)) return answer(reply);
          tools.lied();
          return answer(without);
        },
      };
    },
  }),
];

function replyOf(call: () => readonly ReportedOutcome[]): Reply {
  try {
    return { value: call() };
  } catch (threw) {
    return { threw };
  }
}

function withoutPriority({ priority: _dropped, ...message }: Message): Message {
  return message;
}
