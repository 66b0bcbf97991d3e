import { type Mutant, mutant } from '../../../kernel/mutant.ts';
import type { Id, ReportedOutcome } from '../../../kernel/outcome.ts';
import { passedThrough } from '../../../writing/mutants/batching.ts';
import { answer, ask, errorOf, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message, SendBatchPort } from '../../port.ts';
import type { SendBatch } from '../batches.ts';
import { batchMutant } from '../spoil.ts';
import { Rivals } from './rivals.ts';
import { idOf, unlessRefused } from './sent.ts';

const racing = 'send-batch/racing-keys-store-once';
const opposite = 'send-batch/opposite-orders-do-not-deadlock';

/** Lies of a batch that comes second to the same keys. */
export const keyRaceMutants: Mutant[] = [
  secondToItsKeys({
    id: 'check-then-insert',
    lie: 'Looks whether its keys are taken, and stores the messages although another writer takes the keys meanwhile.',
    target: racing,
    order: 'same',
    async told(outcomes, messages, honest) {
      const lost = messages.flatMap((_, slot) => ('stored' in outcomes[slot]! ? [] : [slot]));
      const stored = await honest(
        lost.map((slot) => keyless(messages[slot]!)),
        {},
      );
      return outcomes.map((outcome, slot) => (lost.includes(slot) ? stored[lost.indexOf(slot)]! : outcome));
    },
  }),
  secondToItsKeys({
    id: 'locks-in-callers-order',
    lie: 'Stores message by message in the order of the caller, and gives up in the middle when another writer comes the other way.',
    target: opposite,
    order: 'opposite',
    async told(_outcomes, messages, honest) {
      await honest(messages.slice(0, Math.ceil(messages.length / 2)).map(keyless), {});
      throw Object.assign(new Error('deadlock detected'), { code: '40P01', retryable: true });
    },
  }),
  secondToItsKeys({
    id: 'raw-deadlock-not-retryable',
    lie: 'Fails a batch when another writer comes the other way, by an error that does not say that it is worth another try.',
    target: opposite,
    order: 'opposite',
    cannot: unlessRefused,
    async told() {
      throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    },
  }),
  secondToItsKeys({
    id: 'deadlock-never-settles',
    lie: 'Waits for ever when another writer comes the other way.',
    target: opposite,
    order: 'opposite',
    timeout: 4000,
    told: () => new Promise(() => {}),
  }),
  mutant<SendBatchPort>({
    id: 'duplicate-on-a-held-lock',
    lie: 'Takes a message for a duplicate whose key is held by a transaction that is still open.',
    target: 'send-batch/loser-waits-for-the-holder',
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      const { begin, sendBatch } = honest;
      if (!begin) return honest;
      const rivals = new Rivals(tools);
      const holders = new Map<unknown, string>();
      return {
        ...honest,
        async begin() {
          const transaction = await begin();
          const holder = crypto.randomUUID();
          holders.set(transaction.handle, holder);
          const over = <T>(end: () => T): T => {
            rivals.holds(holder, []);
            return end();
          };
          return {
            handle: transaction.handle,
            run: (statement) => transaction.run(statement),
            commit: () => over(() => transaction.commit()),
            rollback: () => over(() => transaction.rollback()),
          };
        },
        async sendBatch(messages, options) {
          const holder = holders.get(options.transaction);
          if (holder !== undefined) {
            const outcomes = await sendBatch(messages, options);
            rivals.holds(
              holder,
              outcomes.flatMap((outcome, slot): [string, Id | null][] => {
                const { dedupeKey } = messages[slot]!;
                return dedupeKey === undefined ? [] : [[dedupeKey, idOf(outcome)]];
              }),
            );
            return outcomes;
          }
          if (messages.every(({ dedupeKey }) => dedupeKey === undefined)) return sendBatch(messages, options);
          const held = () => messages.map((message) => rivals.idHeld(message));
          let ids = held();
          if (ids.every((id) => id === undefined)) {
            await rivals.heard();
            ids = held();
          }
          if (ids.every((id) => id === undefined)) return sendBatch(messages, options);
          tools.lied();
          const free = messages.filter((_, slot) => ids[slot] === undefined);
          const outcomes = free.length === 0 ? [] : [...(await sendBatch(free, options))];
          return ids.map((id): ReportedOutcome => (id === undefined ? outcomes.shift()! : { duplicate: id }));
        },
      };
    },
  }),
];

/** A lie about a batch that another writer, who sent the same keys in this order at the same time, made a duplicate. */
function secondToItsKeys(
  m: Pick<Mutant, 'id' | 'lie' | 'target'> &
    Partial<Pick<Mutant, 'cannot' | 'timeout'>> & {
      order: 'same' | 'opposite';
      /** Of a batch that was refused for its keys every outcome is a failure. */
      told(
        outcomes: readonly ReportedOutcome[],
        messages: readonly Message[],
        honest: SendBatch,
      ): Promise<readonly ReportedOutcome[]>;
    },
): Mutant {
  const { order, told, ...described } = m;
  return batchMutant({
    ...described,
    spoil(honest, tools) {
      const rivals = new Rivals(tools);
      return async (messages, options) => {
        const keys = messages.flatMap(({ dedupeKey }) => (dedupeKey === undefined ? [] : [dedupeKey]));
        if (keys.length === 0 || options.transaction !== undefined) return honest(messages, options);
        const copy = structuredClone([...messages]);
        const { came, rival } = await rivals.during(keys, () => ask(honest, messages, options));
        if (rival !== order) return answer(came);
        const failed: ReportedOutcome = { failed: hasFailed(came) && errorOf(came) };
        const outcomes = hasFailed(came) ? copy.map(() => failed) : answer(came);
        if (outcomes.every((outcome) => 'stored' in outcome)) return outcomes;
        tools.lied();
        return told(outcomes, copy, honest);
      };
    },
  });
}

function keyless({ dedupeKey: _key, ...message }: Message): Message {
  return message;
}
