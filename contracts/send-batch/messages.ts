import fc from 'fast-check';
import { body, tokenIn } from '../kernel/bodies.ts';
import { type MetadataOption, metadataOptions, type Offer } from '../kernel/capabilities.ts';
import type { Bench } from '../kernel/guard.ts';
import type { Shape } from '../kernel/writes.ts';
import type { Message } from './port.ts';

/** Names of queues that generated messages are spread over: those that are declared, or these where any will do. */
export function destinationsOf({ declaration: { destinations } }: Bench): readonly string[] {
  return destinations === 'any' ? ['orders', 'invoices', 'letters'] : destinations;
}

/** The metadata options that this backend offers. */
export function offeredOptions(bench: Bench): MetadataOption[] {
  return metadataOptions.filter((option) => bench.declaration.offers.includes(option));
}

/**
 * Messages that differ from each other in every value, each with a nonce in its body.
 *
 * Ordinary values: whole seconds, text in ASCII, integers up to 9973. No column is sorted: each follows a shuffle of
 * its own.
 */
export function messages(bench: Bench, count: number, shape: Shape = 'full'): Message[] {
  const batch = bench.token();
  const offered = shape === 'bare' ? [] : offeredOptions(bench);
  const ranks = new Map(offered.map((option) => [option, shuffled(bench, count)]));
  const selections = shape === 'mixed' ? mixedSelections(bench, count, offered) : undefined;
  return Array.from({ length: count }, (_, slot) => {
    const chosen = selections?.[slot] ?? offered;
    const message: Message = { body: body(bench, `${batch}-${slot}`, slot) };
    for (const option of chosen)
      Object.assign(message, { [option]: optionValue(bench, option, slot, ranks.get(option)![slot]!) });
    return message;
  });
}

/** A value of one option; `rank` decides its place among the others. */
export function optionValue(bench: Bench, option: MetadataOption, slot: number, rank: number): unknown {
  switch (option) {
    case 'destination': {
      const destinations = destinationsOf(bench);
      return destinations[slot % destinations.length];
    }
    case 'delay':
      return 1000 * (3600 + 61 * rank);
    case 'expiration':
      return 1000 * (90 * 86_400 + 67 * rank);
    case 'priority':
      return 1 + ((rank * 37) % 9973);
    case 'route':
      return `route-${rank}`;
    case 'correlationId':
      return `correlation-${rank}`;
    case 'headers':
      return { 'X-First': `first-${rank}`, 'x-second': `second-${rank}` };
  }
}

/** The messages, each with a key, an id, columns and a job of its own, as far as these are offered. */
export function withEveryOffer(bench: Bench, batch: readonly Message[]): Message[] {
  const offered = beside.filter((offer) => bench.declaration.offers.includes(offer));
  return batch.map((plain, slot) => {
    const message = offered.reduce((m, offer) => usingOption(bench, m, offer)!, plain);
    return {
      ...message,
      ...(message.columns && { columns: { tenant: `tenant-${slot}` } }),
      ...(message.job !== undefined && { job: `report-${slot}` }),
    };
  });
}

/** What a message can ask for beside its metadata. */
export const beside = ['dedupeKey', 'callerIds', 'columns', 'jobs'] as const satisfies readonly Offer[];

/** The message with an option that the backend may not know. */
export function usingOption(bench: Bench, message: Message, offer: Offer): Message | undefined {
  const slot = 1;
  switch (offer) {
    case 'dedupeKey':
      return { ...message, dedupeKey: `key-${bench.token()}` };
    case 'callerIds':
      return { ...message, id: bench.declaration.idForm === 'uuid' ? bench.draw(fc.uuid()) : `id-${bench.token()}` };
    case 'columns':
      return { ...message, columns: { tenant: 'tenant-1' } };
    case 'jobs':
      return { ...message, job: 'nightly-report' };
    case 'binary':
      return bench.declaration.body === 'bytes'
        ? undefined
        : { ...message, body: new TextEncoder().encode(tokenIn(message.body) ?? '') };
    case 'transaction':
    case 'cancel':
    case 'chunkSize':
    case 'condition':
      return undefined;
    default:
      return { ...message, [offer]: optionValue(bench, offer, slot, slot) };
  }
}

function shuffled(bench: Bench, count: number): number[] {
  const ranks = Array.from({ length: count }, (_, i) => i);
  return bench.draw(fc.shuffledSubarray(ranks, { minLength: count, maxLength: count }));
}

/** For each message some of the options, in an order of its own; the first messages have none, all, and one. */
function mixedSelections(bench: Bench, count: number, offered: MetadataOption[]): MetadataOption[][] {
  const drawn = bench.draw(fc.array(fc.shuffledSubarray(offered), { minLength: count, maxLength: count }));
  const fixed = [[], [...offered].reverse(), offered.slice(0, 1)];
  return drawn.map((selection, slot) => fixed[slot] ?? selection);
}
