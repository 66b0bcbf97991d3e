import type { Mutant } from '../../kernel/mutant.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message, SendOptions } from '../port.ts';
import { type Held, heldMutant, type SendInHeld, type Spoiling } from './held-calls.ts';

const removes = 'send-batch/held-rollback-removes-all';
const keeps = 'send-batch/held-commit-keeps-all';

/** Lies about batches in a caller's transaction that depend on what is sent, and on what was sent before. */
export const heldWayMutants: Mutant[] = [
  outside({
    id: 'third-batch-on-its-own',
    lie: "Takes no notice of the caller's transaction from the third batch in it on.",
    is(held, sent) {
      sent.set(held, (sent.get(held) ?? 0) + 1);
      return sent.get(held)! > 2;
    },
  }),
  outside({
    id: 'chunk-size-on-its-own',
    lie: "Takes no notice of the caller's transaction when the caller asks for a chunk size.",
    needs: ['chunkSize'],
    is: (_held, _sent, { chunkSize }) => chunkSize !== undefined,
  }),
  dropping('held-priority-dropped', 'priority', ['priority']),
  dropping('held-job-dropped', 'job', ['jobs']),
  heldMutant({
    id: 'held-signal-dropped',
    lie: "Takes no notice of the signal of a batch in a caller's transaction.",
    target: 'send-batch/held-abort-takes-effect',
    needs: ['cancel'],
    spoil:
      ({ honest, tools }) =>
      async (_held, messages, { signal, ...options }) => {
        if (signal) tools.lied();
        return honest(messages, options);
      },
  }),
  heldMutant({
    id: 'keyed-failure-ends-the-transaction',
    lie: "Ends the caller's transaction when a batch with keys has failed in it, and with no other.",
    target: 'send-batch/held-transaction-stays-the-callers',
    needs: ['dedupeKey'],
    spoil:
      ({ honest, tools }) =>
      async (held, messages, options) => {
        const reply = await ask(honest, messages, options);
        if (held.log.length > 0 && hasFailed(reply) && messages.every(({ dedupeKey }) => dedupeKey !== undefined)) {
          await held.inner.rollback();
          held.closed = true;
          tools.lied();
        }
        return answer(reply);
      },
  }),
];

/** A lie that commits some batches on another connection; where the caller's lock is in its way, they fail. */
function outside(
  m: Pick<Mutant, 'id' | 'lie'> &
    Partial<Pick<Mutant, 'needs'>> & {
      /** Told of every batch in a transaction, with what it has noted of the transactions so far. */
      is(held: Held, sent: Map<Held, number>, options: SendOptions): boolean;
    },
): Mutant {
  const { is, ...described } = m;
  return heldMutant({
    ...described,
    target: removes,
    alsoKilledBy: [keeps],
    spoil({ honest, tools }: Spoiling): SendInHeld {
      const sent = new Map<Held, number>();
      return async (held, messages, options) => {
        if (!is(held, sent, options)) return honest(messages, options);
        const { transaction: _ignored, ...others } = options;
        tools.lied();
        return honest(messages, others);
      };
    },
  });
}

/** A lie that leaves an option of messages out in a caller's transaction. */
function dropping(id: string, option: 'priority' | 'job', needs: Mutant['needs']): Mutant {
  return heldMutant({
    id,
    lie: `Does not store the ${option} of messages that are sent in a caller's transaction.`,
    target: keeps,
    needs: needs!,
    spoil:
      ({ honest, tools }) =>
      async (_held, messages, options) => {
        if (!messages.some((message) => message[option] !== undefined)) return honest(messages, options);
        tools.lied();
        return honest(
          messages.map(({ [option]: _dropped, ...message }): Message => message),
          options,
        );
      },
  });
}
