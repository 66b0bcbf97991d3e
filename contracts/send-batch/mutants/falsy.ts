import type { Declaration, Offer } from '../../kernel/capabilities.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import type { Message } from '../port.ts';
import { optionsOf } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/explicit-falsy-is-kept';

/** Lies about values that are blank. */
export const falsyMutants: Mutant[] = [
  messageLie({
    id: 'falsy-is-absent',
    lie: 'Takes an option whose value is 0, empty text or an empty object for one that was not given.',
    cannot: ({ offers, blankIsAbsent }) => {
      const kept = blankable.filter((option) => offers.includes(option) && !blankIsAbsent.includes(option));
      return kept.length === 0 ? 'every blank is declared to mean that the option is absent' : undefined;
    },
    change: (message) => {
      const blank = new Set(optionsOf(message).filter((option) => isBlank(message[option])));
      if (blank.size === 0) return message;
      return Object.fromEntries(Object.entries(message).filter(([key]) => !blank.has(key as never))) as never;
    },
  }),
  messageLie({
    id: 'empty-key-is-none',
    lie: 'Takes an empty key for none.',
    needs: ['dedupeKey'],
    cannot: unlessKept('dedupeKey'),
    change: (message) => (message.dedupeKey === '' ? without(message, 'dedupeKey') : message),
  }),
  messageLie({
    id: 'empty-id-is-none',
    lie: 'Takes an empty id for none, and lets the engine choose one.',
    needs: ['callerIds'],
    cannot: unlessKept('callerIds'),
    change: (message) => (message.id === '' ? without(message, 'id') : message),
  }),
  messageLie({
    id: 'null-is-the-text-null',
    lie: 'Stores null in a body as the text null.',
    alsoKilledBy: ['send-batch/body-round-trips'],
    cannot: ({ body }) => (body === 'json' ? undefined : 'bodies are not JSON'),
    change: (message) => {
      const { body } = message;
      if (body === null) return { ...message, body: 'null' };
      if (!Array.isArray(body) || !body.includes(null)) return message;
      return { ...message, body: body.map((value: unknown) => value ?? 'null') };
    },
  }),
];

const blankable = ['delay', 'expiration', 'priority', 'route', 'correlationId', 'headers'] as const;

function unlessKept(offer: Offer) {
  return ({ blankIsAbsent }: Declaration) =>
    blankIsAbsent.includes(offer) ? 'that blank is declared to mean that the option is absent' : undefined;
}

function messageLie(
  m: Pick<Mutant, 'id' | 'lie' | 'cannot'> &
    Partial<Pick<Mutant, 'alsoKilledBy' | 'needs'>> & { change(message: Message): Message },
): Mutant {
  const { change, ...described } = m;
  return batchMutant({
    ...described,
    target,
    spoil: (honest, tools) => async (messages, options) => {
      const changed = messages.map(change);
      if (changed.some((message, slot) => message !== messages[slot])) tools.lied();
      return honest(changed, options);
    },
  });
}

function without(message: Message, option: keyof Message): Message {
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== option)) as unknown as Message;
}

function isBlank(value: unknown): boolean {
  if (value === 0 || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
