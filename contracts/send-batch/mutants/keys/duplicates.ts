import { isDeepStrictEqual } from 'node:util';
import type { Declaration } from '../../../kernel/capabilities.ts';
import { type Mutant, mutant } from '../../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../../kernel/outcome.ts';
import { passedThrough } from '../../../writing/mutants/batching.ts';
import { answer, ask, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message, SendBatchPort, SendOptions } from '../../port.ts';
import { batchMutant } from '../spoil.ts';
import { identityOf, idOf, onlySkipped, repeatMutant, unlessRefused, unlessReplaced, unlessStored } from './sent.ts';

const named = 'send-batch/duplicates-are-named';
const inside = 'send-batch/duplicate-inside-the-batch';
const singles = 'send-batch/duplicates-equal-singles';
const fresh = 'send-batch/replay-with-fresh-items';

/** Lies about messages whose keys are taken, by earlier batches or in the batch itself. */
export const duplicateMutants: Mutant[] = [
  repeatMutant({
    id: 'duplicate-gets-an-id',
    lie: 'Reports a message whose key is taken as stored, under an id that it made up.',
    target: named,
    cannot: unlessRefused,
    told: (outcomes, { again, whole }) =>
      again.length === 0 || whole
        ? undefined
        : outcomes.map((outcome, slot) => (again.includes(slot) ? { stored: 1_000_000_007 + slot } : outcome)),
  }),
  repeatMutant({
    id: 'duplicates-compacted',
    lie: 'Leaves the messages whose keys are taken out of the outcomes.',
    target: named,
    cannot: unlessRefused,
    told: (outcomes, { again, whole }) =>
      again.length === 0 || whole ? undefined : outcomes.filter((_, slot) => !again.includes(slot)),
  }),
  repeatMutant({
    id: 'only-first-duplicate-named',
    lie: 'Reports the first message whose key is taken as a duplicate, and the others as stored.',
    target: named,
    cannot: unlessRefused,
    told: (outcomes, { again, whole }) =>
      again.length < 2 || whole
        ? undefined
        : outcomes.map((outcome, slot) => (again.indexOf(slot) > 0 ? { stored: idOf(outcome) } : outcome)),
  }),
  repeatMutant({
    id: 'late-duplicates-told-as-stored',
    lie: 'Looks up the keys of the first 500 messages that are taken, and reports later ones as stored.',
    target: named,
    cannot: (declaration) => unlessRefused(declaration) ?? unlessLarge(declaration),
    told: (outcomes, { again, whole }) =>
      whole || again.every((slot) => slot < lookedUp)
        ? undefined
        : outcomes.map((outcome, slot) =>
            slot >= lookedUp && again.includes(slot) ? { stored: idOf(outcome) } : outcome,
          ),
  }),
  repeatMutant({
    id: 'all-duplicates-throw',
    lie: 'Throws when all keys of a batch are taken, since there is nothing to insert.',
    target: named,
    cannot: unlessRefused,
    sent(messages, { again, whole }) {
      if (whole || again.length < messages.length) return undefined;
      throw new RangeError('no rows to insert');
    },
  }),
  repeatMutant({
    id: 'later-twin-overwrites',
    lie: 'Stores the content of the last of several messages with one key, not that of the first.',
    target: inside,
    alsoKilledBy: [singles],
    cannot: onlySkipped,
    sent(messages, { twins }) {
      if (twins.length === 0) return undefined;
      const last = new Map(messages.map((message) => [identityOf(message), message.body]));
      const changed = messages.map((message) => {
        const key = identityOf(message);
        return key === undefined ? message : { ...message, body: last.get(key) };
      });
      return changed.some(({ body }, slot) => body !== messages[slot]!.body) ? changed : undefined;
    },
  }),
  repeatMutant({
    id: 'earlier-twin-stays',
    lie: 'Stores the content of the first of several messages with one key, although the last is to replace it.',
    target: inside,
    alsoKilledBy: [singles],
    cannot: unlessReplaced,
    sent: (messages, { twins, first }) =>
      twins.length === 0
        ? undefined
        : messages.map((message, slot) => (twins.includes(slot) ? { ...message, body: first(slot)!.body } : message)),
  }),
  replaceMutant({
    id: 'replace-changes-the-body-alone',
    lie: 'Replaces the body of the row that has the key, and keeps the other values of the old message.',
    kept: (old, { body }) => ({ ...old, body }),
  }),
  replaceMutant({
    id: 'replace-keeps-what-is-missing',
    lie: 'Keeps the values of the old message for options that the new one does not set.',
    kept: (old, message) => ({ ...old, ...message }),
  }),
  repeatMutant({
    id: 'twin-fails-the-batch',
    lie: 'Fails a batch in which a key stands twice by the words of the engine.',
    target: inside,
    alsoKilledBy: [singles],
    cannot: unlessRefused,
    sent(_messages, { twins }) {
      if (twins.length === 0) return undefined;
      throw new Error('UNIQUE constraint failed: dedupe_key');
    },
  }),
  repeatMutant({
    id: 'duplicate-echoes-its-own-body',
    lie: 'Reports with a message that was not stored its own body, as if that were what is stored.',
    target: inside,
    cannot: onlySkipped,
    told: (outcomes, { twins, first }, messages) => {
      const unequal = twins.filter((slot) => JSON.stringify(first(slot)) !== JSON.stringify(messages[slot]));
      if (unequal.length === 0) return undefined;
      return outcomes.map((outcome, slot) =>
        unequal.includes(slot) ? { ...outcome, about: { body: messages[slot]!.body } } : outcome,
      );
    },
  }),
  repeatMutant({
    id: 'one-replayed-item-rejects-all',
    lie: 'Fails a batch of new messages since one of its keys is taken.',
    target: fresh,
    alsoKilledBy: [named],
    sent(messages, { again }) {
      if (again.length === 0 || again.length === messages.length) return undefined;
      throw new Error('UNIQUE constraint failed: dedupe_key');
    },
  }),
  repeatMutant({
    id: 'taken-key-is-passed-over',
    lie: 'Leaves a message whose key is taken out of a batch that was to be refused for it.',
    target: named,
    cannot: unlessStored,
    sent: (messages, { again }) => without(messages, again),
    told: (outcomes, { again }, messages) => amongOthers(outcomes, again, messages),
  }),
  repeatMutant({
    id: 'twins-are-merged',
    lie: 'Stores one of several messages with one key from a batch that was to be refused for them.',
    target: inside,
    alsoKilledBy: [singles],
    cannot: unlessStored,
    sent: (messages, { twins }) => without(messages, twins),
    told: (outcomes, { twins }, messages) => amongOthers(outcomes, twins, messages),
  }),
  batchMutant({
    id: 'refusal-names-no-message',
    lie: 'Refuses a batch for its keys without saying which message it was for.',
    target: named,
    alsoKilledBy: [inside],
    cannot: unlessStored,
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (!hasFailed(reply) || messages.every(({ dedupeKey }) => dedupeKey === undefined)) return answer(reply);
      tools.lied();
      throw new Error('a key is taken');
    },
  }),
  mutant<SendBatchPort>({
    id: 'batch-skips-the-key-check',
    lie: 'Stores in a batch what the single path has stored already under the same key.',
    target: singles,
    wrap(subject, tools) {
      const { send, sendBatch, ...others } = passedThrough(subject);
      const single = new Set<string | undefined>();
      return {
        ...others,
        sendBatch(messages, options) {
          const unchecked = messages.map((message) => {
            if (message.dedupeKey === undefined || !single.has(identityOf(message))) return message;
            const { dedupeKey: _key, ...others } = message;
            return others;
          });
          if (unchecked.some((message, slot) => message !== messages[slot])) tools.lied();
          return sendBatch(unchecked, options);
        },
        ...(send && {
          send(message: Message, options: SendOptions) {
            single.add(identityOf(message));
            return send(message, options);
          },
        }),
      };
    },
  }),
];

/** Messages whose keys are looked up. */
const lookedUp = 500;

function unlessLarge({ limits }: Pick<Declaration, 'limits'>): string | undefined {
  return (limits.maxItems ?? Number.POSITIVE_INFINITY) > lookedUp ? undefined : 'a batch has no later messages';
}

/** A lie about what is left of a message that is replaced. */
function replaceMutant(m: Pick<Mutant, 'id' | 'lie'> & { kept(old: Message, message: Message): Message }): Mutant {
  const { kept, ...described } = m;
  return repeatMutant({
    ...described,
    target: named,
    alsoKilledBy: [inside],
    cannot: unlessReplaced,
    sent(messages, { first }) {
      const changed = messages.map((message, slot) => {
        const old = first(slot);
        return old === undefined ? message : kept(old, message);
      });
      return isDeepStrictEqual(changed, messages) ? undefined : changed;
    },
  });
}

/** The messages in other slots; undefined where that is all of them, or none. */
function without(messages: readonly Message[], slots: readonly number[]): Message[] | undefined {
  const others = messages.filter((_, slot) => !slots.includes(slot));
  return others.length === 0 || others.length === messages.length ? undefined : others;
}

/** The outcomes of the messages that were sent, with those in these slots told as duplicates. */
function amongOthers(
  outcomes: readonly ReportedOutcome[],
  slots: readonly number[],
  messages: readonly Message[],
): ReportedOutcome[] | undefined {
  if (outcomes.length === messages.length) return undefined;
  const others = [...outcomes];
  return messages.map((_, slot) => (slots.includes(slot) ? { duplicate: null } : others.shift()!));
}
