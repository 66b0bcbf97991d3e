import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { triedAgain } from '../../writing/mutants/aftermath.ts';
import { inParts } from '../../writing/mutants/in-parts.ts';
import { answer, ask, errorOf, isRowRefused, madeUp, type Reply } from '../../writing/mutants/replies.ts';
import { sendBatching } from './batches.ts';
import { areOrdinary, optionsOf } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

const reports = 'send-batch/every-outcome-reports-the-failure';
const commit = 'send-batch/commit-failure-is-reported';

/** Lies about batches that the engine refuses, in ways that messages alone have. */
export const failureMutants: Mutant[] = [
  inParts(sendBatching, {
    id: 'group-per-shape-commits',
    lie: 'Commits messages that set different options in transactions of their own.',
    target: 'nothing-persists-after-failure',
    alsoKilledBy: ['no-partial-visibility', 'is-one-commit'],
    parts: (messages) => {
      const groups = new Map<string, number[]>();
      messages.forEach((message, slot) => {
        const shape = optionsOf(message).toSorted().join();
        const group = groups.get(shape);
        if (group) group.push(slot);
        else groups.set(shape, [slot]);
      });
      return [...groups.values()];
    },
  }),
  triedAgain(sendBatching, {
    id: 'retry-repeats-the-first-chunk',
    lie: 'Sends a batch that the engine refused again with its first messages twice.',
    again: (messages) => [...messages.slice(0, Math.ceil(messages.length / 3)), ...messages],
    told: (outcomes, count) => outcomes.slice(-count),
  }),
  afterFailure({
    id: 'failure-reports-fewer',
    lie: 'Reports a failed batch by one outcome fewer than it has messages.',
    target: reports,
    // Of a batch of one nothing is left that says so.
    alsoKilledBy: [commit],
    told: (reply, count) => Array<ReportedOutcome>(count - 1).fill({ failed: errorOf(reply) }),
  }),
  afterFailure({
    id: 'failure-told-the-other-way',
    lie: 'Throws where a failed batch is declared to bring outcomes, and brings outcomes where it is declared to throw.',
    target: reports,
    told(reply, count) {
      if (!('threw' in reply)) throw errorOf(reply);
      return Array<ReportedOutcome>(count).fill({ failed: reply.threw });
    },
  }),
  afterFailure({
    id: 'commit-of-aborted-is-success',
    lie: 'Reports a batch that was rolled back as stored, under ids that it made up.',
    target: reports,
    // The last compares with a batch that was refused.
    alsoKilledBy: [
      'send-batch/failures-at-once-leave-nothing',
      'send-batch/original-error-survives-rollback',
      'send-batch/nothing-persists-after-failure',
      'send-batch/backend-usable-after-failure',
      'setup/fault-fires',
      commit,
      'send-batch/transient-fault-ends-whole',
      'send-batch/concurrent-failure-is-isolated',
      'send-batch/unknown-is-told',
    ],
    told: (_reply, count) => madeUp(count),
  }),
];

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy'>>;

/** A lie about how a batch failed that the engine refused. */
function afterFailure(m: Described & { told(reply: Reply, count: number): readonly ReportedOutcome[] }): Mutant {
  const { told, ...described } = m;
  return batchMutant({
    ...described,
    spoil: (honest, tools) => async (messages, options) => {
      const ordinary = areOrdinary(messages);
      const reply = await ask(honest, messages, options);
      if (!ordinary || messages.length === 0 || !isRowRefused(reply)) return answer(reply);
      tools.lied();
      return told(reply, messages.length);
    },
  });
}
