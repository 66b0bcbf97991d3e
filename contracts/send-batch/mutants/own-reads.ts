import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { SendBatchPort, StoredMessage } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';

/** Lies of what the backend reads itself. */
export const ownReadMutants: Mutant[] = [
  mutant<SendBatchPort>({
    id: 'cache-keeps-failed-rows',
    lie: 'Goes on to read the messages of a batch that failed, from a cache that was filled before the commit.',
    target: 'send-batch/own-reads-agree',
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { read } = honest;
      if (!read) return honest;
      const cached: StoredMessage[] = [];
      return {
        ...honest,
        sendBatch: async (messages, options) => {
          // The caller's objects may change while the subject is at work.
          const copy = ordinaryCopy(messages) ?? [];
          const reply = await ask(async () => honest.sendBatch(messages, options), messages, options);
          if (hasFailed(reply)) for (const { body } of copy) cached.push({ id: `cached-${cached.length}`, body });
          return answer(reply);
        },
        read: async () => {
          if (cached.length > 0) tools.lied();
          return [...(await read()), ...cached];
        },
      };
    },
  }),
  mutant<SendBatchPort>({
    id: 'reads-one-page',
    lie: 'Reads the first thousand of its messages, as if there were no more.',
    target: 'send-batch/own-reads-agree',
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { read } = honest;
      if (!read) return honest;
      return {
        ...honest,
        read: async () => {
          const all = await read();
          if (all.length > 1000) tools.lied();
          return all.slice(0, 1000);
        },
      };
    },
  }),
];
