import type { Need } from '../../kernel/capabilities.ts';
import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, hasFailed, isRefused, type Reply } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort } from '../port.ts';
import { ofCalls, unsupported } from './refusals.ts';

/** Lies of the batch call that has ended when it returns. */
export const syncMutants: Mutant[] = [
  dropping('sync-path-drops-priority', 'priority', ['priority']),
  dropping('sync-path-drops-keys', 'dedupeKey', ['dedupeKey']),
  dropping('sync-path-drops-jobs', 'job', ['jobs']),
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

/** A lie that leaves an option of messages out in the synchronous call. */
function dropping(id: string, option: keyof Message, needs: Need[]): Mutant {
  return mutant<SendBatchPort>({
    id,
    lie: `Does not store the ${option} of messages that are sent by the synchronous call.`,
    target: 'send-batch/sync-and-async-agree',
    needs,
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { sendBatchSync } = honest;
      if (!sendBatchSync) return honest;
      return {
        ...honest,
        sendBatchSync: (messages, options) => {
          if (messages.some((message) => message[option] !== undefined)) tools.lied();
          const without = messages.map(({ [option]: _dropped, ...message }) => message as Message);
          return sendBatchSync(without, options);
        },
      };
    },
  });
}
