import type { Mutant } from '../../kernel/mutant.ts';
import type { Message } from '../port.ts';
import { optionsOf } from './ordinary.ts';
import { messageMutant } from './spoil.ts';

/** Options that are stored with a message and read back. */
const droppable = [
  'destination',
  'delay',
  'expiration',
  'priority',
  'route',
  'correlationId',
  'headers',
] as const satisfies readonly (keyof Message)[];

/** Lies about the value of an option, told in the batch and on the single path alike. */
export const metadataMutants: Mutant[] = [
  ...droppable.map((option) =>
    valueLie({
      id: `drops-${option}`,
      lie: `Does not store the option ${option}.`,
      change: ({ [option]: _dropped, ...message }) => message,
    }),
  ),
  valueLie({
    id: 'delay-and-expiration-swapped',
    lie: 'Stores the delay as the expiration and the expiration as the delay.',
    change: ({ delay, expiration, ...message }) => ({
      ...message,
      ...(expiration !== undefined && { delay: expiration }),
      ...(delay !== undefined && { expiration: delay }),
    }),
  }),
  valueLie({
    id: 'first-messages-options-for-all',
    lie: 'Stores the options of the first message with every message.',
    change: ({ body }, first) => ({ ...first, body }),
  }),
  valueLie({
    id: 'header-values-shifted',
    lie: 'Stores each header with the value of the next one.',
    change({ headers, ...message }) {
      if (headers === undefined) return message;
      const [names, values] = [Object.keys(headers), Object.values(headers)];
      const shifted = names.map((name, i) => [name, values[(i + 1) % values.length]]);
      return { ...message, headers: Object.fromEntries(shifted) };
    },
  }),
];

/** How many messages of a subject are stored as they are before the lies begin. */
const honestMessages = 8;

/**
 * A lie about options that begins with the ninth message of a subject, tells only of messages that set the same options
 * as the subject's first one, and ends with the first failure. So guards that send a few messages, mixed ones, or
 * messages after a failure, keep quiet, and the guard about metadata is the only one to speak.
 */
function valueLie(m: Pick<Mutant, 'id' | 'lie'> & { change(message: Message, first: Message): Message }): Mutant {
  return messageMutant({
    id: m.id,
    lie: m.lie,
    target: 'send-batch/metadata-round-trips',
    untilFailure: true,
    change() {
      let seen = 0;
      let first: Message | undefined;
      return (message) => {
        first ??= { ...message };
        seen += 1;
        if (seen <= honestMessages || shape(message) !== shape(first)) return message;
        const changed = m.change(message, first);
        return sameOptions(message, changed) ? message : changed;
      };
    },
  });
}

function shape(message: Message): string {
  return optionsOf(message).toSorted().join();
}

function sameOptions(a: Message, b: Message): boolean {
  return droppable.every((option) => JSON.stringify(a[option]) === JSON.stringify(b[option]));
}
