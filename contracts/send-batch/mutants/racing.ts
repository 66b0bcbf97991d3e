import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import { batchMutant } from './spoil.ts';

/** Milliseconds in which a batch that is stored waits for another to begin. */
const waits = 20;

/** Lies about batches that run at the same time. */
export const racingMutants: Mutant[] = [
  batchMutant({
    id: 'racing-outcomes-exchanged',
    lie: 'Exchanges the last outcomes of two batches of one size that run at the same time.',
    target: 'send-batch/concurrent-batches-keep-their-own-ids',
    alsoKilledBy: ['send-batch/concurrent-failure-is-isolated'],
    spoil: (honest, tools) => {
      let running = 0;
      // One at most: whoever comes next lets it go.
      const waiting = new Set<{ outcomes: ReportedOutcome[]; letGo(): void }>();
      return async (messages, options) => {
        running += 1;
        const reply = await ask(honest, messages, options);
        running -= 1;
        const [other] = waiting;
        if (messages.length < 2 || hasFailed(reply)) {
          if (running === 0) other?.letGo();
          return answer(reply);
        }
        const outcomes = [...answer(reply)];
        waiting.clear();
        other?.letGo();
        if (other?.outcomes.length === outcomes.length) {
          const [mine, others] = [outcomes.at(-1)!, other.outcomes.at(-1)!];
          outcomes.splice(-1, 1, others);
          other.outcomes.splice(-1, 1, mine);
          tools.lied();
          return outcomes;
        }
        await new Promise<void>((letGo) => {
          waiting.add({ outcomes, letGo });
          // One that has begun by then is waited for until it ends.
          tools.later(() => running === 0 && letGo(), waits);
        });
        for (const one of waiting) if (one.outcomes === outcomes) waiting.delete(one);
        return outcomes;
      };
    },
  }),
];
