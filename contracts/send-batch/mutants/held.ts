import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { SendBatchPort } from '../port.ts';
import { storeStranger } from './batches.ts';
import { afterABatch, heldMutant, stepsOf } from './held-calls.ts';
import { identityOf, unlessRefused } from './keys/sent.ts';
import { ordinaryCopy } from './ordinary.ts';

const waits = 'send-batch/held-rows-wait-for-the-callers-commit';
const removes = 'send-batch/held-rollback-removes-all';
const keeps = 'send-batch/held-commit-keeps-all';
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
      keeps,
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
    // Where the caller's transaction locks others out, it cannot be stored at all.
    alsoKilledBy: [keeps],
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
