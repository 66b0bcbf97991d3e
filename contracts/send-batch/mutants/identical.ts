import type { Mutant } from '../../kernel/mutant.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import type { Message } from '../port.ts';
import { optionsOf } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

/** Lies about messages that are equal, which are nevertheless as many messages as were sent. */
export const identicalMutants: Mutant[] = [
  merging({
    id: 'equal-bodies-merged',
    lie: 'Stores messages with equal bodies and no key once, and reports the same id for all of them.',
    key: ({ body, dedupeKey }) =>
      dedupeKey === undefined && isPlainData(body)
        ? `${body instanceof Uint8Array} ${JSON.stringify(body)}`
        : undefined,
  }),
  merging({
    id: 'same-object-sent-once',
    lie: 'Stores an object that stands at two positions of a batch once.',
    key: (message) => message,
  }),
  merging({
    id: 'empty-messages-collapse',
    lie: 'Stores messages that set nothing and hold nothing once.',
    key: (message) => (optionsOf(message).length === 0 && isBlank(message.body) ? 'empty' : undefined),
  }),
];

/** A lie that stores messages of the same key only once; undefined is no key. */
function merging(m: Pick<Mutant, 'id' | 'lie'> & { key(message: Message): unknown }): Mutant {
  return batchMutant({
    id: m.id,
    lie: m.lie,
    target: 'send-batch/identical-messages-get-their-own-ids',
    spoil: (honest, tools) => async (messages, options) => {
      const kept: Message[] = [];
      const placeOf = new Map<unknown, number>();
      const places = messages.map((message, slot) => {
        const key = m.key(message) ?? slot;
        const known = placeOf.get(key);
        if (known !== undefined) return known;
        placeOf.set(key, kept.length);
        return kept.push(message) - 1;
      });
      const outcomes = await honest(kept, options);
      if (kept.length < messages.length) tools.lied();
      return places.map((place) => outcomes[place]!);
    },
  });
}

function isBlank(body: unknown): boolean {
  if (body === null || body === '') return true;
  if (!isPlainData(body) || typeof body !== 'object') return false;
  return Object.keys(body).length === 0;
}
