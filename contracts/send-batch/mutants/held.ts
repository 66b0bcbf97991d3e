import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { CallersTransaction, Message, SendBatchPort, SendOptions } from '../port.ts';
import { type SendBatch, storeStranger } from './batches.ts';
import { identityOf, unlessRefused } from './keys/sent.ts';
import { ordinaryCopy } from './ordinary.ts';

const waits = 'send-batch/held-rows-wait-for-the-callers-commit';
const removes = 'send-batch/held-rollback-removes-all';
const throws = 'send-batch/held-failure-throws';
const noHalf = 'send-batch/held-failure-leaves-no-half';
const stays = 'send-batch/held-transaction-stays-the-callers';
const foreign = 'send-batch/held-foreign-or-closed-is-refused';

/** Lies about batches in a transaction of the caller's. */
export const heldMutants: Mutant[] = [
  heldMutant({
    id: 'begin-inside',
    lie: 'Begins a transaction of its own for a batch, which commits what the caller has written before it.',
    target: waits,
    alsoKilledBy: [stays],
    spoil:
      ({ honest, tools, begin }) =>
      async (held, messages, options) => {
        if (held.log.length === 0) return honest(messages, options);
        await held.inner.commit();
        held.inner = await begin();
        tools.lied();
        return honest(messages, { ...options, transaction: held.inner.handle });
      },
  }),
  heldMutant({
    id: 'own-connection',
    lie: "Takes no notice of the caller's transaction, and commits the batch on a connection of its own.",
    target: waits,
    // Where the caller's transaction locks others out, the batch cannot be stored at all.
    alsoKilledBy: [
      'send-batch/sent-during-flush-is-kept',
      removes,
      stays,
      noHalf,
      'send-batch/loser-waits-for-the-holder',
    ],
    spoil:
      ({ honest, tools }) =>
      async (_held, messages, { transaction: _ignored, ...options }) => {
        tools.lied();
        return honest(messages, options);
      },
  }),
  mutant<SendBatchPort>({
    id: 'status-after-the-fact',
    lie: "Leaves rows that were written beside the caller's transaction when he rolls it back.",
    target: removes,
    wrap(subject, tools) {
      let besides: unknown;
      const { sendBatch, begin, ...others } = passedThrough(subject);
      // They are made before any guard looks, and put in place when the caller's lock is gone.
      tools.atOpen(async () => {
        const before = await tools.hand.snapshot();
        if (!(await storeStranger(async (messages, options) => sendBatch(messages, options)))) return;
        besides = await tools.hand.snapshot();
        await tools.hand.restore(before);
      });
      if (!begin) return { sendBatch, ...others };
      const withBatch = new Set<unknown>();
      return {
        ...others,
        async sendBatch(messages, options) {
          const outcomes = await sendBatch(messages, options);
          if (options.transaction !== undefined) withBatch.add(options.transaction);
          return outcomes;
        },
        async begin() {
          const inner = await begin();
          return {
            ...stepsOf(inner),
            async rollback() {
              await inner.rollback();
              if (besides === undefined || !withBatch.delete(inner.handle)) return;
              await tools.hand.restore(besides);
              tools.lied();
            },
          };
        },
      };
    },
  }),
  heldMutant({
    id: 'held-failure-returned',
    lie: "Reports the failure of a batch in the caller's transaction by its outcomes, instead of throwing it.",
    target: throws,
    spoil:
      ({ honest, tools }) =>
      async (_held, messages, options) => {
        const reply = await ask(honest, messages, options);
        if (!('threw' in reply)) return reply.value;
        tools.lied();
        return messages.map((): ReportedOutcome => ({ failed: reply.threw }));
      },
  }),
  heldMutant({
    id: 'no-savepoint',
    lie: "Writes a batch in two halves, and leaves the first in the caller's transaction when the second fails.",
    target: noHalf,
    spoil:
      ({ honest, tools }) =>
      async (_held, messages, options) => {
        const copy = ordinaryCopy(messages);
        if (copy === undefined || copy.length < 2) return honest(messages, options);
        const half = Math.ceil(copy.length / 2);
        const first = await honest(copy.slice(0, half), options);
        const second = await ask(honest, copy.slice(half), options);
        if (hasFailed(second)) tools.lied();
        return [...first, ...answer(second)];
      },
  }),
  heldMutant({
    id: 'one-savepoint-name',
    lie: "Undoes, at the second failure in a caller's transaction, everything since the first.",
    target: noHalf,
    spoil:
      ({ honest, tools, begin }) =>
      async (held, messages, options) => {
        const reply = await ask(honest, messages, options);
        if (!hasFailed(reply)) {
          held.log.push(messages);
          return answer(reply);
        }
        if (held.failedAt === undefined) {
          held.failedAt = held.log.length;
          return answer(reply);
        }
        await held.inner.rollback();
        held.inner = await begin();
        held.log.length = held.failedAt;
        for (const step of held.log) {
          if (typeof step === 'string') await held.inner.run(step);
          else await honest(step, { transaction: held.inner.handle });
        }
        tools.lied();
        return answer(reply);
      },
  }),
  singleOnItsOwn(),
  heldMutant({
    id: 'rolls-back-for-the-caller',
    lie: "Rolls the caller's transaction back when a batch in it has failed, and begins another in its place.",
    target: stays,
    alsoKilledBy: [noHalf],
    spoil:
      ({ honest, tools, begin }) =>
      async (held, messages, options) => {
        const reply = await ask(honest, messages, options);
        if (held.log.length > 0 && hasFailed(reply)) {
          await held.inner.rollback();
          held.inner = await begin();
          tools.lied();
        }
        return answer(reply);
      },
  }),
  heldMutant({
    id: 'held-keys-looked-up-outside',
    lie: "Looks keys up outside the caller's transaction, and so runs into those that were taken in it.",
    target: 'send-batch/duplicates-are-named',
    needs: ['transaction', 'ids'],
    cannot: unlessRefused,
    spoil:
      ({ honest, tools }) =>
      async (held, messages, options) => {
        const taken = new Set(held.log.flatMap((step) => (typeof step === 'string' ? [] : step.map(identityOf))));
        if (messages.some((message) => message.dedupeKey !== undefined && taken.has(identityOf(message)))) {
          tools.lied();
          throw new Error('the unique index of the keys was violated');
        }
        const reply = await ask(honest, messages, options);
        if (!hasFailed(reply)) held.log.push(structuredClone(messages));
        return answer(reply);
      },
  }),
  heldMutant({
    id: 'commits-for-the-caller',
    lie: "Commits the caller's transaction when it has written a batch in it.",
    target: stays,
    alsoKilledBy: [waits],
    spoil: afterABatch(({ inner }) => inner.commit()),
  }),
  heldMutant({
    id: 'closes-the-handle',
    lie: "Closes the connection of the caller's transaction when it has written a batch on it.",
    target: stays,
    alsoKilledBy: [waits],
    spoil: afterABatch(async (held) => {
      await held.inner.rollback();
      held.closed = true;
    }),
  }),
  heldMutant({
    id: 'foreign-handle-accepted',
    lie: 'Commits a batch on a connection of its own when the transaction that it was handed is none of its open ones.',
    target: foreign,
    spoil:
      ({ honest }) =>
      async (_held, messages, options) =>
        honest(messages, options),
    strange:
      ({ honest, tools }) =>
      async (messages, { transaction: _ignored, ...options }) => {
        tools.lied();
        return honest(messages, options);
      },
  }),
];

/** A lie in single sends alone: a batch keeps to the transaction that it is handed. */
function singleOnItsOwn(): Mutant {
  return mutant<SendBatchPort>({
    id: 'single-on-its-own',
    lie: "Takes no notice of the caller's transaction in a single send, and commits it on a connection of its own.",
    target: removes,
    wrap(subject, tools) {
      const { send, ...others } = passedThrough(subject);
      if (!send) return others;
      return {
        ...others,
        send(message, { transaction, ...options }) {
          if (transaction !== undefined) tools.lied();
          return send(message, options);
        },
      };
    },
  });
}

/** A caller's transaction behind a mutant. */
interface Held {
  /** The one that is open in the subject; a lie may put another in its place. */
  inner: CallersTransaction;
  /** What was done in it: statements of the caller's, and batches where a mutant notes them. */
  log: (string | readonly Message[])[];
  /** Steps in the log when a batch failed for the first time. */
  failedAt?: number;
  /** The caller can do nothing more with it. */
  closed: boolean;
}

interface Spoiling {
  honest: SendBatch;
  tools: MutantTools;
  begin(): Promise<CallersTransaction>;
}

/** How a batch is sent that was handed something other than an open transaction. */
type SendStrange = (spoiling: Spoiling) => SendBatch;

type SendInHeld = (
  held: Held,
  messages: readonly Message[],
  options: SendOptions,
) => Promise<readonly ReportedOutcome[]>;

/** A mutant that lies in batches that are sent in an open transaction of the caller's, and in none without one. */
function heldMutant(
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
function afterABatch(change: (held: Held) => Promise<void> | void): (spoiling: Spoiling) => SendInHeld {
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
function stepsOf(inner: CallersTransaction): CallersTransaction {
  return {
    handle: inner.handle,
    run: (statement) => inner.run(statement),
    commit: () => inner.commit(),
    rollback: () => inner.rollback(),
  };
}
