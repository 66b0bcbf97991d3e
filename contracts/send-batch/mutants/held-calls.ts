import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { CallersTransaction, Message, SendBatchPort, SendOptions } from '../port.ts';
import type { SendBatch } from './batches.ts';

/** A caller's transaction behind a mutant. */
export interface Held {
  /** The one that is open in the subject; a lie may put another in its place. */
  inner: CallersTransaction;
  /** What was done in it: statements of the caller's, and batches where a mutant notes them. */
  log: (string | readonly Message[])[];
  /** Steps in the log when a batch failed for the first time. */
  failedAt?: number;
  /** The caller can do nothing more with it. */
  closed: boolean;
}

export interface Spoiling {
  honest: SendBatch;
  tools: MutantTools;
  begin(): Promise<CallersTransaction>;
}

/** How a batch is sent that was handed something other than an open transaction. */
type SendStrange = (spoiling: Spoiling) => SendBatch;

export type SendInHeld = (
  held: Held,
  messages: readonly Message[],
  options: SendOptions,
) => Promise<readonly ReportedOutcome[]>;

/** A mutant that lies in batches that are sent in an open transaction of the caller's, and in none without one. */
export function heldMutant(
  m: Pick<Mutant, 'id' | 'lie' | 'target'> &
    Partial<Pick<Mutant, 'alsoKilledBy' | 'needs' | 'cannot'>> & {
      spoil(spoiling: Spoiling): SendInHeld;
      strange?: SendStrange;
    },
): Mutant {
  const { spoil, strange, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    wrap(subject, tools) {
      const { sendBatch, begin, ...others } = passedThrough(subject);
      if (!begin) return { sendBatch, ...others };
      const open = new Map<unknown, Held>();
      const honest: SendBatch = async (messages, options) => sendBatch(messages, options);
      const spoiling = { honest, tools, begin: async () => begin() };
      const send = spoil(spoiling);
      const sendStrange = strange?.(spoiling) ?? honest;
      return {
        ...others,
        sendBatch: async (messages, options) => {
          const held = open.get(options.transaction);
          if (held) return send(held, messages, { ...options, transaction: held.inner.handle });
          return (options.transaction === undefined ? honest : sendStrange)(messages, options);
        },
        async begin() {
          const inner = await begin();
          const held: Held = { inner, log: [], closed: false };
          open.set(inner.handle, held);
          return callersEndOf(held, () => open.delete(inner.handle));
        },
      };
    },
  });
}

/** A lie that is told when a batch has been written in a transaction in which the caller has done something himself. */
export function afterABatch(change: (held: Held) => Promise<void> | void): (spoiling: Spoiling) => SendInHeld {
  return ({ honest, tools }) =>
    async (held, messages, options) => {
      const reply = await ask(honest, messages, options);
      if (held.log.length > 0 && !hasFailed(reply)) {
        await change(held);
        tools.lied();
      }
      return answer(reply);
    };
}

/** What the caller gets: a handle that stays the same, whatever is put in the place of his transaction. */
function callersEndOf(held: Held, ended: () => void): CallersTransaction {
  const inner = (): CallersTransaction => {
    if (held.closed) throw new Error('the connection is closed');
    return held.inner;
  };
  return {
    handle: held.inner.handle,
    async run(statement) {
      const result = await inner().run(statement);
      held.log.push(statement);
      return result;
    },
    async commit() {
      ended();
      await inner().commit();
    },
    async rollback() {
      ended();
      await inner().rollback();
    },
  };
}

/** The members of a transaction, which may be a class's. */
export function stepsOf(inner: CallersTransaction): CallersTransaction {
  return {
    handle: inner.handle,
    run: (statement) => inner.run(statement),
    commit: () => inner.commit(),
    rollback: () => inner.rollback(),
  };
}
