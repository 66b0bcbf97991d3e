import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, errorOf, type Reply } from './spoil.ts';

const lostAck = 'send-batch/lost-ack-is-all-or-nothing';
const only = 'a lost acknowledgement is told as unknown';
const unknownTold = 'send-batch/unknown-is-told';

/** Lies about batches whose acknowledgement was lost. Calls that can be cancelled are left to the guards about that. */
export const lostAckMutants: Mutant[] = [
  afterUnknown({
    id: 'resend-after-lost-ack',
    lie: 'Sends a batch again whose acknowledgement was lost.',
    target: lostAck,
    only,
    told: async (_reply, _count, again) => answer(await again()),
  }),
  afterUnknown({
    id: 'cut-claims-success',
    lie: 'Reports a batch whose acknowledgement was lost as stored, under ids that it made up.',
    target: lostAck,
    // A cut that happens once is a transient fault, too.
    alsoKilledBy: ['send-batch/transient-fault-ends-whole'],
    only,
    told: async (_reply, count) => Array.from({ length: count }, (_, slot) => ({ stored: 1_000_000_007 + slot })),
  }),
  afterUnknown({
    id: 'unknown-told-as-failed',
    lie: 'Reports a batch whose acknowledgement was lost as failed.',
    target: unknownTold,
    told: async (reply, count) => {
      // Without the error itself, which would say that the answer was lost.
      const failed = new Error(String(errorOf(reply)));
      if ('threw' in reply) throw failed;
      return Array<ReportedOutcome>(count).fill({ failed });
    },
  }),
];

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy' | 'only'>>;

/** A lie about a batch of which the subject says that nobody can tell whether it is stored. */
function afterUnknown(
  m: Described & {
    told(reply: Reply, count: number, again: () => Promise<Reply>): Promise<readonly ReportedOutcome[]>;
  },
): Mutant {
  const { told, ...described } = m;
  return batchMutant({
    ...described,
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, copy ?? messages, options);
      if (copy === undefined || options.signal || !isUnknown(reply)) return answer(reply);
      tools.lied();
      return told(reply, copy.length, () => ask(honest, copy, options));
    },
  });
}

function isUnknown(reply: Reply): boolean {
  if ('threw' in reply) return (reply.threw as { unknown?: unknown } | undefined)?.unknown === true;
  return reply.value.some((outcome) => 'unknown' in outcome);
}
