import type { Mutant } from '../../kernel/mutant.ts';
import { optionsOf, ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, failWhole, hasFailed } from './spoil.ts';

const limits = 'send-batch/past-the-limits';
const large = 'send-batch/no-cliff-at-large-sizes';

/** Lies about batches of many messages, and about messages of many bytes. */
export const largeMutants: Mutant[] = [
  batchMutant({
    id: 'rows-spread-as-arguments',
    lie: 'Passes the messages of a batch as the arguments of one call, of which there can be 65,535.',
    target: large,
    cannot: ({ limits: { maxItems = Number.POSITIVE_INFINITY } }) =>
      maxItems <= 65_535 ? `a batch has at most ${maxItems} messages` : undefined,
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.length <= 65_535) return honest(messages, options);
      tools.lied();
      throw new RangeError('Maximum call stack size exceeded');
    },
  }),
  batchMutant({
    id: 'slot-kept-in-16-bits',
    lie: 'Keeps the slot of a message in 16 bits, so that from slot 65,536 on it reports the ids of the first slots again.',
    target: large,
    cannot: ({ givesUp }) => givesUp.ids,
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (messages.length <= 65_536 || hasFailed(reply)) return answer(reply);
      tools.lied();
      const outcomes = answer(reply);
      return outcomes.map((_, slot) => outcomes[slot & 0xffff]!);
    },
  }),
  batchMutant({
    id: 'chunk-from-the-first-rows-width',
    lie: 'Reckons by the options of the first message how many rows fit into a statement, and loses the last where wider ones come after it.',
    target: limits,
    only: 'a statement has more parameters, the more items a batch has',
    cannot: (_, { maxParams }) => (maxParams === undefined ? 'a statement has no parameters' : undefined),
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const width = (slot: number) => optionsOf(copy!.at(slot)!).length + 2;
      if (copy === undefined || copy.length < 2 || width(0) >= width(-1)) return honest(messages, options);
      const parameters = copy.reduce((sum, message) => sum + optionsOf(message).length + 2, 0);
      if (parameters <= parametersOf(tools.site.provider)) return honest(messages, options);
      const reply = await ask(honest, copy.slice(0, -1), options);
      if (hasFailed(reply)) return failWhole(reply, copy.length);
      tools.lied();
      return [...answer(reply), { stored: 1_000_000_007 }];
    },
  }),
  batchMutant({
    id: 'bytes-counted-as-characters',
    lie: 'Counts the characters of a text where 65,535 bytes are the limit, and cuts off what has more bytes than that.',
    target: limits,
    alsoKilledBy: ['send-batch/body-round-trips'],
    cannot: ({ body }) => (body === 'bytes' ? 'a body has no characters' : undefined),
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined) return honest(messages, options);
      for (const message of copy) {
        const cut = cutOff(message.body);
        if (cut === message.body) continue;
        message.body = cut;
        tools.lied();
      }
      return honest(copy, options);
    },
  }),
  batchMutant({
    id: 'oversize-row-sent-alone',
    lie: 'Stores the messages of at most 65,535 bytes first, and refuses those that are larger after them.',
    target: limits,
    alsoKilledBy: ['send-batch/body-round-trips'],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const small = copy?.filter(({ body }) => bytesOf(body) <= mostBytes) ?? [];
      if (copy === undefined || small.length === 0 || small.length === copy.length) return honest(messages, options);
      const reply = await ask(honest, small, options);
      if (hasFailed(reply)) return failWhole(reply, copy.length);
      tools.lied();
      throw new RangeError('a message is larger than 65535 bytes');
    },
  }),
];

/** Parameters that one statement can have at most. */
export function parametersOf(provider: string): number {
  return provider === 'sqlite' ? 32_766 : 65_535;
}

const mostBytes = 65_535;

/** The body with the longest of its texts cut where it has too many bytes, though not too many characters. */
function cutOff(body: unknown): unknown {
  if (typeof body === 'string') {
    if (body.length > mostBytes || Buffer.byteLength(body) <= mostBytes) return body;
    return Buffer.from(body).subarray(0, mostBytes).toString();
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Uint8Array) return body;
  const entries = Object.entries(body).map(([key, value]) => [key, cutOff(value)] as const);
  return entries.some(([key, value]) => value !== (body as Record<string, unknown>)[key])
    ? Object.fromEntries(entries)
    : body;
}

function bytesOf(body: unknown): number {
  return body instanceof Uint8Array ? body.length : Buffer.byteLength(JSON.stringify(body) ?? '');
}
