import type { Declaration, KeyDifference } from '../../../kernel/capabilities.ts';
import type { Mutant } from '../../../kernel/mutant.ts';
import type { Id, ReportedOutcome } from '../../../kernel/outcome.ts';
import type { Message } from '../../port.ts';
import { answer, ask, batchMutant, hasFailed, messageMutant } from '../spoil.ts';
import { idOf, unlessRefused } from './sent.ts';

const distinct = 'send-batch/distinct-keys-stay-distinct';
const kept = 'send-batch/keys-are-kept';
const singles = 'send-batch/duplicates-equal-singles';

/** Lies about which keys are the same, and about the key that is stored. */
export const distinctKeyMutants: Mutant[] = [
  folding({
    id: 'key-folded-to-lower-case',
    lie: 'Takes keys for the same that differ by case.',
    difference: 'case',
    folded: (key) => key.toLowerCase(),
  }),
  folding({
    id: 'key-trimmed',
    lie: 'Takes keys for the same that differ by a trailing space.',
    difference: 'trailingSpace',
    folded: (key) => key.trimEnd(),
  }),
  folding({
    id: 'key-composed',
    lie: 'Takes keys for the same that differ by normal form.',
    difference: 'normalForm',
    folded: (key) => key.normalize('NFC'),
  }),
  batchMutant({
    id: 'key-without-destination',
    lie: 'Takes a message for a duplicate whose key was stored for another destination.',
    target: distinct,
    needs: ['destination'],
    cannot: (declaration) => whyEqual('destination', declaration) ?? unlessRefused(declaration),
    spoil(honest, tools) {
      const holders = new Map<string, { destination: string | undefined; id: Id | null }>();
      return async (messages, options) => {
        const first = new Map<string, string | undefined>([...holders].map(([key, held]) => [key, held.destination]));
        const isForeign = messages.map(({ dedupeKey, destination }) => {
          if (dedupeKey === undefined) return false;
          if (first.has(dedupeKey)) return first.get(dedupeKey) !== destination;
          first.set(dedupeKey, destination);
          return false;
        });
        const reply = await ask(
          honest,
          messages.filter((_, slot) => !isForeign[slot]),
          options,
        );
        if (hasFailed(reply)) return answer(reply);
        const told = [...answer(reply)];
        return messages.map(({ dedupeKey, destination }, slot): ReportedOutcome => {
          if (isForeign[slot]) {
            tools.lied();
            return { duplicate: holders.get(dedupeKey!)?.id ?? null };
          }
          const outcome = told.shift()!;
          if (dedupeKey !== undefined && !holders.has(dedupeKey)) {
            holders.set(dedupeKey, { destination, id: idOf(outcome) });
          }
          return outcome;
        });
      };
    },
  }),
  batchMutant({
    id: 'key-of-the-first-for-all',
    lie: 'Makes the keys of a batch of which some messages have none from the key of the first.',
    target: kept,
    alsoKilledBy: [singles],
    spoil: (honest, tools) => async (messages, options) => {
      const keys = messages.flatMap(({ dedupeKey }) => (dedupeKey === undefined ? [] : [dedupeKey]));
      if (keys.length < 2 || keys.length === messages.length) return honest(messages, options);
      tools.lied();
      const changed = messages.map((message, slot): Message => {
        const isFirst = message.dedupeKey === undefined || message.dedupeKey === keys[0];
        return isFirst ? message : { ...message, dedupeKey: `${keys[0]}-${slot}` };
      });
      return honest(changed, options);
    },
  }),
];

function folding({
  difference,
  folded,
  ...described
}: Pick<Mutant, 'id' | 'lie'> & { difference: KeyDifference; folded(key: string): string }): Mutant {
  return messageMutant({
    ...described,
    target: distinct,
    cannot: (declaration) => whyEqual(difference, declaration),
    change: () => (message) => {
      if (message.dedupeKey === undefined) return message;
      const dedupeKey = folded(message.dedupeKey);
      return dedupeKey === message.dedupeKey ? message : { ...message, dedupeKey };
    },
  });
}

function whyEqual(difference: KeyDifference, { keysEqual }: Declaration): string | undefined {
  return keysEqual.includes(difference) ? `${difference} makes no difference, as declared` : undefined;
}
