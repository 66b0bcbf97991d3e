import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, isRowRefused } from '../../writing/mutants/replies.ts';
import { ordinaryCopy } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/each-outcome-is-true';
/** Has a message refused, too, and reads what is told of it and of the others. */
const destinations = 'send-batch/unknown-destination-fails-whole';

/** Lies about batches that are stored in part; told only by backends that give up being atomic. */
export const partialMutants: Mutant[] = [
  partLie({
    id: 'item-error-ignored',
    lie: 'Reports as stored the messages of a batch whose errors came beside those that were stored.',
    // One sends a message that cannot be read, to have a failure.
    alsoKilledBy: ['send-batch/backend-usable-after-failure', destinations],
    when: isRefusedInPart,
    told: (outcomes) => outcomes.map((outcome) => ('failed' in outcome ? { stored: noRow } : outcome)),
  }),
  partLie({
    id: 'failure-without-an-error',
    lie: 'Reports the messages of a batch that failed beside others as failed, without an error.',
    alsoKilledBy: [destinations],
    when: isRefusedInPart,
    told: (outcomes) => outcomes.map((outcome) => ('failed' in outcome ? { failed: undefined } : outcome)),
  }),
  partLie({
    id: 'all-failed-when-one-failed',
    lie: 'Reports every message of a batch as failed when one of them failed, though the others are stored.',
    alsoKilledBy: [destinations],
    when: isRefusedInPart,
    told: (outcomes) => {
      const failed = outcomes.find((outcome) => 'failed' in outcome)!;
      return outcomes.map(() => failed);
    },
  }),
  partLie({
    id: 'error-on-the-wrong-slot',
    lie: 'Reports the outcomes of a batch of which several messages failed one slot further on.',
    when: (outcomes) => isInPart(outcomes) && outcomes.filter((outcome) => 'failed' in outcome).length > 1,
    told: (outcomes) => [outcomes.at(-1)!, ...outcomes.slice(0, -1)],
  }),
  batchMutant({
    id: 'missing-from-both-lists-is-ok',
    lie: 'Reports as stored a message that is neither among those that were stored nor among those that failed.',
    target,
    alsoKilledBy: [destinations],
    spoil: (honest, tools) => async (messages, options) => {
      // The second to last is left out, and sent after all where nothing has failed.
      const [left] = ordinaryCopy(messages.slice(-2, -1)) ?? [];
      if (messages.length < 4 || left === undefined) return honest(messages, options);
      const reply = await ask(honest, [...messages.slice(0, -2), messages.at(-1)!], options);
      if ('threw' in reply) throw reply.threw;
      const outcomes = [...reply.value];
      if (!isRefusedInPart(outcomes)) {
        const [own] = answer(await ask(honest, [left], options));
        return outcomes.toSpliced(-1, 0, own!);
      }
      tools.lied();
      return outcomes.toSpliced(-1, 0, { stored: noRow });
    },
  }),
];

/** An id that no row has. */
const noRow = 1_000_000_007;

/** A lie about the outcomes of a batch of which some messages were stored and some failed. */
function partLie(
  m: Pick<Mutant, 'id' | 'lie'> &
    Partial<Pick<Mutant, 'alsoKilledBy'>> & {
      when(outcomes: readonly ReportedOutcome[]): boolean;
      told(outcomes: readonly ReportedOutcome[]): readonly ReportedOutcome[];
    },
): Mutant {
  const { when, told, ...described } = m;
  return batchMutant({
    ...described,
    target,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      if (!when(outcomes)) return outcomes;
      tools.lied();
      return told(outcomes);
    },
  });
}

/** Whether the backend itself has refused some messages; what the engine refuses other guards ask for, too. */
function isRefusedInPart(outcomes: readonly ReportedOutcome[]): boolean {
  return isInPart(outcomes) && !isRowRefused({ value: outcomes });
}

function isInPart(outcomes: readonly ReportedOutcome[]): boolean {
  return outcomes.some((outcome) => 'failed' in outcome) && outcomes.some((outcome) => 'stored' in outcome);
}
