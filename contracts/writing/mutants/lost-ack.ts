import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, type BatchLie, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, type BatchOptions, errorOf, madeUp, type Reply, type WriteBatch } from './replies.ts';

/** Of which backends alone it can be told that they send again, or claim to have stored, what may be stored. */
export const tellsUnknown = 'a lost acknowledgement is told as unknown';

/** Lies about batches whose acknowledgement was lost. Calls that can be cancelled are left to the guards about that. */
export function lostAckMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    afterUnknown(batching, {
      id: 'cut-claims-success',
      lie: 'Reports a batch whose acknowledgement was lost as stored, under ids that it made up.',
      target: 'lost-ack-is-all-or-nothing',
      // A cut that happens once is a transient fault, too.
      alsoKilledBy: ['transient-fault-ends-whole'],
      only: tellsUnknown,
      told: async (_reply, { items }) => madeUp(items.length),
    }),
    afterUnknown(batching, {
      id: 'unknown-told-as-failed',
      lie: 'Reports a batch whose acknowledgement was lost as failed.',
      target: 'unknown-is-told',
      told: async (reply, { items }) => {
        // Without the error itself, which would say that the answer was lost.
        const failed = new Error(String(errorOf(reply)));
        if ('threw' in reply) throw failed;
        return Array<ReportedOutcome>(items.length).fill({ failed });
      },
    }),
  ];
}

/** A batch whose acknowledgement was lost, and the way to send it again. */
export interface Unacknowledged<Item> {
  items: readonly Item[];
  options: BatchOptions;
  honest: WriteBatch<Item>;
}

/** A lie about a batch of which the subject says that nobody can tell whether it is stored. */
export function afterUnknown<Item>(
  batching: Batching<Item>,
  m: Pick<BatchLie<Item>, 'id' | 'lie' | 'target' | 'alsoKilledBy' | 'only'> & {
    told(reply: Reply, batch: Unacknowledged<Item>): Promise<readonly ReportedOutcome[]>;
  },
): Mutant {
  const { told, ...described } = m;
  return batchMutant(batching, {
    ...described,
    spoil: (honest, tools) => async (items, options) => {
      const copy = ordinaryCopy(batching, items);
      const reply = await ask(honest, copy ?? items, options);
      if (copy === undefined || options.signal || !isUnknown(reply)) return answer(reply);
      tools.lied();
      return told(reply, { items: copy, options, honest });
    },
  });
}

function isUnknown(reply: Reply): boolean {
  if ('threw' in reply) return (reply.threw as { unknown?: unknown } | undefined)?.unknown === true;
  return reply.value.some((outcome) => 'unknown' in outcome);
}
