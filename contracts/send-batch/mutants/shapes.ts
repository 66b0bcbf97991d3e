import type { Mutant } from '../../kernel/mutant.ts';
import type { Message } from '../port.ts';
import { areOrdinary, optionsOf } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

/** Lies about batches whose messages set different options, or set them in different orders. */
export const shapeMutants: Mutant[] = [
  mixedLie({
    id: 'columns-of-the-first-message',
    lie: 'Stores only the options that the first message sets.',
    alsoKilledBy: ['send-batch/outcome-describes-its-message'],
    change: (message, slot, batch) => {
      const known = new Set(optionsOf(batch[0]!));
      return pick(
        message,
        optionsOf(message).filter((option) => slot === 0 || known.has(option)),
      );
    },
  }),
  mixedLie({
    id: 'values-in-own-key-order',
    lie: 'Binds the values of a message in its own order of keys to the columns in the order of another message.',
    alsoKilledBy: ['send-batch/outcome-describes-its-message'],
    cannot({ offers, destinations }) {
      if (destinations !== 'any') return 'the value of another option is refused as a destination';
      const few = sameKinds.every((kind) => kind.filter((option) => offers.includes(option)).length < 2);
      return few ? 'no two options of one kind are offered' : undefined;
    },
    change: (message, _slot, batch) => {
      const columns = optionsOf(widest(batch));
      return sameKinds.reduce((changed, kind) => bindInOwnOrder(changed, columns, kind), message);
    },
  }),
  mixedLie({
    id: 'missing-takes-the-neighbours',
    lie: 'Stores for an option that a message does not set what the message before it set.',
    alsoKilledBy: ['send-batch/outcome-describes-its-message'],
    change: (message, slot, batch) => ({ ...batch[slot - 1], ...message }),
  }),
];

/** Batches up to this size are stored as they are: the guard that compares with single sends sends no larger ones. */
const honestSize = 12;

/** A lie about large batches of messages that do not all set the same options in the same order. */
function mixedLie(
  m: Pick<Mutant, 'id' | 'lie' | 'alsoKilledBy' | 'cannot'> & {
    change(message: Message, slot: number, batch: readonly Message[]): Message;
  },
): Mutant {
  const { change, ...described } = m;
  return batchMutant({
    ...described,
    target: 'send-batch/mixed-shapes-keep-their-columns',
    alsoKilledBy: ['send-batch/outcome-describes-its-message'],
    spoil: (honest, tools) => async (messages, options) => {
      const shapes = new Set(messages.map((message) => optionsOf(message).join()));
      if (messages.length <= honestSize || shapes.size < 2 || !areOrdinary(messages)) return honest(messages, options);
      const changed = messages.map(change);
      if (changed.some((message, slot) => print(message) !== print(messages[slot]!))) tools.lied();
      return honest(changed, options);
    },
  });
}

/** Options whose values an engine would take for each other. */
const sameKinds = [
  ['destination', 'route', 'correlationId'],
  ['delay', 'expiration', 'priority'],
] as const satisfies readonly (readonly (keyof Message)[])[];

function bindInOwnOrder(message: Message, columns: (keyof Message)[], kind: readonly (keyof Message)[]): Message {
  const own = optionsOf(message).filter((option) => kind.includes(option) && columns.includes(option));
  const bound = columns.filter((option) => own.includes(option));
  return Object.assign({ ...message }, Object.fromEntries(bound.map((option, i) => [option, message[own[i]!]])));
}

function widest(batch: readonly Message[]): Message {
  return batch.reduce((best, message) => (optionsOf(message).length > optionsOf(best).length ? message : best));
}

function pick(message: Message, options: (keyof Message)[]): Message {
  return { body: message.body, ...Object.fromEntries(options.map((option) => [option, message[option]])) };
}

/** The options of a message as text, whatever the order of its keys. */
function print(message: Message): string {
  return JSON.stringify(
    optionsOf(message)
      .toSorted()
      .map((option) => [option, message[option]]),
  );
}
