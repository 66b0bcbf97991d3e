import { control, type Mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { SendBatchPort } from '../port.ts';

/** Wrappers that tell no lie. */
export const controls: Mutant[] = [
  control<SendBatchPort>({
    id: 'pass-through',
    lie: 'None: every call and every reply is passed through.',
    wrap: passedThrough,
  }),
  control<SendBatchPort>({
    id: 'harmless-delay',
    lie: 'None: every reply comes a few milliseconds later.',
    wrap(subject, tools) {
      const later = async <T>(reply: T | Promise<T>, milliseconds: number): Promise<T> => {
        const value = await reply;
        await new Promise((resolve) => tools.later(() => resolve(undefined), milliseconds));
        return value;
      };
      const { sendBatch, send, ...others } = passedThrough(subject);
      return {
        ...others,
        sendBatch: async (messages, options) => later(sendBatch(messages, options), 3),
        ...(send && { send: async (message, options) => later(send(message, options), 1) }),
      };
    },
  }),
];
