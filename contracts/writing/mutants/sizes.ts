import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, failWhole, hasFailed, madeUp } from './replies.ts';

const limits = 'past-the-limits';
const large = 'no-cliff-at-large-sizes';

/** Parameters that a row may have. */
const widths = Array.from({ length: 20 }, (_, i) => 4 + i);
const parametersGrow = 'a statement has more parameters, the more items a batch has';

/** Lies about batches near a limit, about those of many items, and about items of many bytes. */
export function sizeMutants<Item>(batching: Batching<Item>): Mutant[] {
  const { item, items: several } = batching;
  return [
    batchMutant(batching, {
      id: 'row-that-tips-the-limit-is-lost',
      lie: 'Loses the row that does not fit into a statement any more, where one row is over.',
      target: limits,
      only: parametersGrow,
      cannot: (_, { maxParams }) => (maxParams === undefined ? 'a statement has no parameters' : undefined),
      spoil: (honest, tools) => async (items, options) => {
        const limit = parametersOf(tools.site.provider);
        const oneIsOver = widths.some((width) => items.length === Math.floor(limit / width) + 1);
        if (!oneIsOver) return honest(items, options);
        const reply = await ask(honest, items.slice(0, -1), options);
        if (hasFailed(reply)) return answer(reply);
        tools.lied();
        return [...answer(reply), ...madeUp(1)];
      },
    }),
    batchMutant(batching, {
      id: 'rows-spread-as-arguments',
      lie: `Passes the ${several} of a batch as the arguments of one call, of which there can be 65,535.`,
      target: large,
      cannot: ({ limits: { maxItems = Number.POSITIVE_INFINITY } }) =>
        maxItems <= 65_535 ? `a batch has at most ${maxItems} ${several}` : undefined,
      spoil: (honest, tools) => async (items, options) => {
        if (items.length <= 65_535) return honest(items, options);
        tools.lied();
        throw new RangeError('Maximum call stack size exceeded');
      },
    }),
    batchMutant(batching, {
      id: 'slot-kept-in-16-bits',
      lie: `Keeps the slot of a ${item} in 16 bits, so that from slot 65,536 on it reports the ids of the first slots again.`,
      target: large,
      cannot: ({ givesUp }) => givesUp.ids,
      spoil: (honest, tools) => async (items, options) => {
        const reply = await ask(honest, items, options);
        if (items.length <= 65_536 || hasFailed(reply)) return answer(reply);
        tools.lied();
        const outcomes = answer(reply);
        return outcomes.map((_, slot) => outcomes[slot & 0xffff]!);
      },
    }),
    batchMutant(batching, {
      id: 'chunk-from-the-first-rows-width',
      lie: `Reckons by the options of the first ${item} how many rows fit into a statement, and loses the last where wider ones come after it.`,
      target: limits,
      only: parametersGrow,
      cannot: (_, { maxParams }) => (maxParams === undefined ? 'a statement has no parameters' : undefined),
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const width = (slot: number) => batching.optionsOf(copy!.at(slot)!).length + 2;
        if (copy === undefined || copy.length < 2 || width(0) >= width(-1)) return honest(items, options);
        const parameters = copy.reduce((sum, one) => sum + batching.optionsOf(one).length + 2, 0);
        if (parameters <= parametersOf(tools.site.provider)) return honest(items, options);
        const reply = await ask(honest, copy.slice(0, -1), options);
        if (hasFailed(reply)) return failWhole(reply, copy.length);
        tools.lied();
        return [...answer(reply), ...madeUp(1)];
      },
    }),
    batchMutant(batching, {
      id: 'bytes-counted-as-characters',
      lie: 'Counts the characters of a text where 65,535 bytes are the limit, and cuts off what has more bytes than that.',
      target: limits,
      cannot: ({ body }) => (body === 'bytes' ? 'a body has no characters' : undefined),
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined) return honest(items, options);
        const cut = copy.map((one) => {
          const body = batching.body(one);
          const short = cutOff(body);
          if (short === body) return one;
          tools.lied();
          return batching.withBody(one, short);
        });
        return honest(cut, options);
      },
    }),
    batchMutant(batching, {
      id: 'oversize-row-sent-alone',
      lie: `Stores the ${several} of at most 65,535 bytes first, and refuses those that are larger after them.`,
      target: limits,
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const small = copy?.filter((one) => bytesOf(batching.body(one)) <= mostBytes) ?? [];
        if (copy === undefined || small.length === 0 || small.length === copy.length) return honest(items, options);
        const reply = await ask(honest, small, options);
        if (hasFailed(reply)) return failWhole(reply, copy.length);
        tools.lied();
        throw new RangeError(`a ${item} is larger than 65535 bytes`);
      },
    }),
  ];
}

/** Parameters that one statement can have at most. */
function parametersOf(provider: string): number {
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
