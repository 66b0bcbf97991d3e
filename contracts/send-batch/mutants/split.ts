import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, failWhole, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort, SendOptions } from '../port.ts';
import { honestly } from './batches.ts';
import { areOrdinary, optionsOf } from './ordinary.ts';

/** Lies that commit a batch in several transactions because of something that it asks for. */
export const splitMutants: Mutant[] = [
  splitting({
    id: 'keyed-batch-in-halves',
    lie: 'Commits a batch whose messages have keys beside other options in two halves, each in its own transaction.',
    needs: ['dedupeKey'],
    most: (messages) => (messages.every(isKeyedAmongOthers) ? Math.ceil(messages.length / 2) : undefined),
  }),
  splitting({
    id: 'chunk-size-commits-each-chunk',
    lie: 'Commits each chunk by itself when the caller asks for a chunk size.',
    needs: ['chunkSize'],
    most: (messages, { chunkSize }) => (areOrdinary(messages) ? chunkSize : undefined),
  }),
];

/** Messages that have keys alone are what other guards are about, which look at failing batches as well. */
function isKeyedAmongOthers(message: Message): boolean {
  const { dedupeKey, job: _job, columns: _columns, id: _id, ...plain } = message;
  return dedupeKey !== undefined && optionsOf(plain).some((o) => o !== 'destination') && areOrdinary([plain]);
}

/** A lie that commits so many messages at most, outside of a transaction of the caller's; not given, the whole batch. */
function splitting(
  m: Pick<Mutant, 'id' | 'lie' | 'needs'> & {
    most(messages: readonly Message[], options: SendOptions): number | undefined;
  },
): Mutant {
  const { most, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    target: 'send-batch/nothing-persists-after-failure',
    wrap(subject, tools) {
      const honest = honestly(subject);
      return {
        ...passedThrough(subject),
        async sendBatch(messages, options) {
          const size = options.transaction === undefined ? most(messages, options) : undefined;
          if (size === undefined || !(size > 0 && size < messages.length)) return honest(messages, options);
          const copy = structuredClone([...messages]);
          const outcomes: ReportedOutcome[] = [];
          for (let from = 0; from < copy.length; from += size) {
            const reply = await ask(honest, copy.slice(from, from + size), options);
            if (hasFailed(reply)) return failWhole(reply, copy.length);
            outcomes.push(...answer(reply));
            tools.lied();
          }
          return outcomes;
        },
      };
    },
  });
}
