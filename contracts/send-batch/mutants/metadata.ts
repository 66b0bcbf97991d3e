import { metadataOptions } from '../../kernel/capabilities.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import type { Message } from '../port.ts';
import { optionsOf } from './ordinary.ts';
import { messageMutant, type Place } from './spoil.ts';

/** Options that are stored with a message and read back. */
const droppable = [...metadataOptions, 'columns'] as const satisfies readonly (keyof Message)[];

/** Lies about the value of an option, told in the batch and on the single path alike. */
export const metadataMutants: Mutant[] = [
  ...droppable.map((option) =>
    valueLie({
      id: `drops-${option}`,
      lie: `Does not store the option ${option}.`,
      needs: [option],
      // Where headers have a table of their own, that guard counts its rows in batches before and after a failure.
      ...(option === 'headers' && { alsoKilledBy: ['send-batch/failed-batch-does-not-come-back'] }),
      ...(option === 'correlationId' && { alsoKilledBy: ['send-batch/outcome-describes-its-message'] }),
      change: ({ [option]: _dropped, ...message }) => message,
    }),
  ),
  valueLie({
    id: 'delay-and-expiration-swapped',
    lie: 'Stores the delay as the expiration and the expiration as the delay.',
    needs: ['delay', 'expiration'],
    change: ({ delay, expiration, ...message }) => ({
      ...message,
      ...(expiration !== undefined && { delay: expiration }),
      ...(delay !== undefined && { expiration: delay }),
    }),
  }),
  valueLie({
    id: 'first-messages-options-for-all',
    lie: 'Stores the options of the first message with every message.',
    alsoKilledBy: ['send-batch/outcome-describes-its-message'],
    change: ({ body }, first) => ({ ...first, body }),
  }),
  valueLie({
    id: 'header-values-shifted',
    lie: 'Stores each header with the value of the next one.',
    needs: ['headers'],
    change({ headers, ...message }) {
      if (headers === undefined) return message;
      const [names, values] = [Object.keys(headers), Object.values(headers)];
      const shifted = names.map((name, i) => [name, values[(i + 1) % values.length]]);
      return { ...message, headers: Object.fromEntries(shifted) };
    },
  }),
];

/** How many messages in a row are stored as they are before a lie begins. */
const honestMessages = 8;

/**
 * A lie that begins with the ninth message in a row that sets the same options, inside one batch or among single sends,
 * and ends with the first failure. So guards that send a few messages, mixed ones, or messages after a failure, keep
 * quiet, and the guard about metadata is the only one to speak.
 */
function valueLie(
  m: Pick<Mutant, 'id' | 'lie'> &
    Partial<Pick<Mutant, 'needs' | 'alsoKilledBy'>> & { change(message: Message, first: Message): Message },
): Mutant {
  const { change, ...described } = m;
  return messageMutant({
    ...described,
    target: 'send-batch/metadata-round-trips',
    untilFailure: true,
    change() {
      let row: { first: Message; place: Place; length: number } | undefined;
      return (message, place) => {
        const goesOn =
          row && place !== 0 && isSingle(place) === isSingle(row.place) && shape(message) === shape(row.first);
        if (!row || !goesOn) row = { first: { ...message }, place, length: 0 };
        row.length += 1;
        if (row.length <= honestMessages) return message;
        const changed = change(message, row.first);
        return sameOptions(message, changed) ? message : changed;
      };
    },
  });
}

function isSingle(place: Place): boolean {
  return place === 'single';
}

function shape(message: Message): string {
  return optionsOf(message).toSorted().join();
}

function sameOptions(a: Message, b: Message): boolean {
  return droppable.every((option) => JSON.stringify(a[option]) === JSON.stringify(b[option]));
}
