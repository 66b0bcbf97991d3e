import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, batchMutant, hasFailed } from './spoil.ts';

/** Milliseconds in which a batch that is stored waits for another to exchange outcomes with. */
const waits = 20;

/** Lies about batches that run at the same time. */
export const racingMutants: Mutant[] = [
  batchMutant({
    id: 'racing-outcomes-exchanged',
    lie: 'Exchanges the last outcomes of two batches of one size that run at the same time.',
    target: 'send-batch/concurrent-batches-keep-their-own-ids',
    spoil: (honest, tools) => {
      const waiting = new Map<number, { outcomes: ReportedOutcome[]; met(): void }>();
      return async (messages, options) => {
        const reply = await ask(honest, messages, options);
        const size = messages.length;
        if (size < 2 || hasFailed(reply)) return answer(reply);
        const outcomes = [...answer(reply)];
        const other = waiting.get(size);
        if (other) {
          waiting.delete(size);
          const [mine, others] = [outcomes.at(-1)!, other.outcomes.at(-1)!];
          outcomes.splice(-1, 1, others);
          other.outcomes.splice(-1, 1, mine);
          tools.lied();
          other.met();
          return outcomes;
        }
        await new Promise<void>((resolve) => {
          waiting.set(size, { outcomes, met: resolve });
          tools.later(resolve, waits);
        });
        if (waiting.get(size)?.outcomes === outcomes) waiting.delete(size);
        return outcomes;
      };
    },
  }),
];
