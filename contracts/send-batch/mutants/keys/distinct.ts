import type { Declaration, KeyDifference } from '../../../kernel/capabilities.ts';
import type { Mutant } from '../../../kernel/mutant.ts';
import type { Id, ReportedOutcome } from '../../../kernel/outcome.ts';
import { answer, ask, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message } from '../../port.ts';
import { batchMutant, messageMutant } from '../spoil.ts';
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
  foldingMutant({
    id: 'key-without-leading-blanks',
    lie: 'Takes keys for the same that differ by a leading space.',
    target: distinct,
    alsoKilledBy: [kept],
    folded: (key) => key.trimStart(),
  }),
  foldingMutant({
    id: 'key-cut-at-64',
    lie: 'Takes keys for the same that share their first 64 characters.',
    target: distinct,
    alsoKilledBy: [kept],
    folded: (key) => key.slice(0, 64),
  }),
  foldingMutant({
    id: 'key-read-as-a-number',
    lie: 'Takes keys for the same that are the same number, with leading zeros or without.',
    target: distinct,
    alsoKilledBy: [kept],
    folded: (key) => (/^\d+$/.test(key) ? String(BigInt(key)) : key),
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
  misnaming({
    id: 'duplicate-found-by-key-alone',
    lie: 'Names for a duplicate the last row that has its key, whatever the destination of that row.',
    difference: 'destination',
    needs: ['destination'],
    loose: ({ dedupeKey }) => dedupeKey,
  }),
  misnaming({
    id: 'duplicate-found-by-folded-key',
    lie: 'Names for a duplicate the last row whose key is the same but for its case.',
    difference: 'case',
    loose: ({ dedupeKey, destination }) =>
      dedupeKey === undefined ? undefined : JSON.stringify([dedupeKey.toLowerCase(), destination]),
  }),
  apart({
    id: 'declared-case-tells-keys-apart',
    lie: 'Takes keys for different that differ by case, although they are declared to be equal.',
    difference: 'case',
    folded: ({ dedupeKey }) => dedupeKey?.toLowerCase(),
  }),
  apart({
    id: 'declared-space-tells-keys-apart',
    lie: 'Takes keys for different that differ by a trailing space, although they are declared to be equal.',
    difference: 'trailingSpace',
    folded: ({ dedupeKey }) => dedupeKey?.trimEnd(),
  }),
  apart({
    id: 'declared-form-tells-keys-apart',
    lie: 'Takes keys for different that differ by normal form, although they are declared to be equal.',
    difference: 'normalForm',
    folded: ({ dedupeKey }) => dedupeKey?.normalize('NFC'),
  }),
  apart({
    id: 'declared-destination-tells-keys-apart',
    lie: 'Takes a key for another under each destination, although the destination is declared to make no difference.',
    difference: 'destination',
    needs: ['destination'],
    folded: ({ dedupeKey }) => dedupeKey,
  }),
  storingFolded({
    id: 'lower-case-key-is-stored',
    lie: 'Stores in lower case the keys that are equal but for their case.',
    difference: 'case',
    folded: (key) => key.toLowerCase(),
  }),
  storingFolded({
    id: 'trimmed-key-is-stored',
    lie: 'Stores without their trailing spaces the keys that are equal but for these.',
    difference: 'trailingSpace',
    folded: (key) => key.trimEnd(),
  }),
  storingFolded({
    id: 'composed-key-is-stored',
    lie: 'Stores in normal form the keys that are equal but for it.',
    difference: 'normalForm',
    folded: (key) => key.normalize('NFC'),
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

type Folding = Pick<Mutant, 'id' | 'lie'> & { difference: KeyDifference; folded(key: string): string };

/** A lie about keys that are not declared to be equal. */
function folding({ difference, ...described }: Folding): Mutant {
  const cannot = (declaration: Declaration) => whyEqual(difference, declaration);
  return foldingMutant({ ...described, target: distinct, alsoKilledBy: [kept], cannot });
}

/** A lie about what is stored of keys that are declared to be equal. */
function storingFolded({ difference, ...described }: Folding): Mutant {
  const cannot = (declaration: Declaration) => whyNotEqual(difference, declaration);
  return foldingMutant({ ...described, target: kept, cannot });
}

function foldingMutant({
  folded,
  ...described
}: Omit<Folding, 'difference'> & Pick<Mutant, 'target'> & Partial<Pick<Mutant, 'alsoKilledBy' | 'cannot'>>): Mutant {
  return messageMutant({
    ...described,
    change: () => (message) => {
      if (message.dedupeKey === undefined) return message;
      const dedupeKey = folded(message.dedupeKey);
      return dedupeKey === message.dedupeKey ? message : { ...message, dedupeKey };
    },
  });
}

/** A lie about which row a duplicate is told to be of: the last that was stored under what `loose` makes of a message. */
function misnaming({
  difference,
  loose,
  ...described
}: Pick<Mutant, 'id' | 'lie'> &
  Partial<Pick<Mutant, 'needs'>> & {
    difference: KeyDifference;
    loose(message: Message): string | undefined;
  }): Mutant {
  return batchMutant({
    ...described,
    target: distinct,
    cannot: (declaration) => whyEqual(difference, declaration) ?? declaration.givesUp.ids ?? unlessRefused(declaration),
    spoil(honest, tools) {
      const last = new Map<string, Id | null>();
      return async (messages, options) => {
        const looseKeys = messages.map(loose);
        const reply = await ask(honest, messages, options);
        if (hasFailed(reply)) return answer(reply);
        return answer(reply).map((outcome, slot): ReportedOutcome => {
          const key = looseKeys[slot];
          if (key === undefined) return outcome;
          if ('stored' in outcome) last.set(key, outcome.stored);
          const id = last.get(key);
          if (!('duplicate' in outcome) || id === undefined || id === outcome.duplicate) return outcome;
          tools.lied();
          return { ...outcome, duplicate: id };
        });
      };
    },
  });
}

/** A lie about keys that are declared to be equal: each spelling, or destination, gets a key of its own. */
function apart({
  difference,
  folded,
  ...described
}: Pick<Mutant, 'id' | 'lie'> &
  Partial<Pick<Mutant, 'needs'>> & {
    difference: KeyDifference;
    folded(message: Message): string | undefined;
  }): Mutant {
  return messageMutant({
    ...described,
    target: distinct,
    cannot: (declaration) => whyNotEqual(difference, declaration),
    change() {
      const first = new Map<string, string>();
      return (message) => {
        const key = folded(message);
        if (key === undefined) return message;
        const own = JSON.stringify([message.dedupeKey, difference === 'destination' && message.destination]);
        if (!first.has(key)) first.set(key, own);
        return first.get(key) === own ? message : { ...message, dedupeKey: `${message.dedupeKey} of ${own}` };
      };
    },
  });
}

function whyEqual(difference: KeyDifference, { keysEqual }: Declaration): string | undefined {
  return keysEqual.includes(difference) ? `${difference} makes no difference, as declared` : undefined;
}

function whyNotEqual(difference: KeyDifference, { keysEqual }: Declaration): string | undefined {
  return keysEqual.includes(difference) ? undefined : `${difference} makes two keys different, as declared`;
}
