import type { Mutant } from '../../kernel/mutant.ts';
import type { Id, ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

const order = 'send-batch/ids-in-caller-order';
const unique = 'send-batch/ids-are-unique-and-real';
const concurrent = 'send-batch/concurrent-failure-is-isolated';
const racing = 'send-batch/concurrent-batches-keep-their-own-ids';
const identical = 'send-batch/identical-messages-get-their-own-ids';

/** Lies about which id belongs to which message. */
export const idMutants: Mutant[] = [
  wrongIds({
    id: 'ids-reversed',
    lie: 'Reports the ids of a batch in reverse.',
    target: order,
    alsoKilledBy: [racing],
    ids: (ids) => ids.toReversed(),
  }),
  wrongIds({
    id: 'ids-in-text-order',
    lie: 'Reports the ids of a batch sorted as text, so that 10 comes before 9.',
    target: order,
    alsoKilledBy: [racing],
    ids: (ids) => ids.toSorted((a, b) => compare(String(a), String(b))),
  }),
  wrongIds({
    id: 'ids-by-destination',
    lie: 'Reports the ids in the order of the destinations, as an engine returns rows that it has grouped.',
    target: order,
    alsoKilledBy: [racing],
    needs: ['destination'],
    ids: (ids, messages) => {
      const slots = ids.map((_, slot) => slot);
      slots.sort((a, b) => compare(messages[a]!.destination ?? '', messages[b]!.destination ?? ''));
      return slots.map((slot) => ids[slot]!);
    },
  }),
  wrongIds({
    id: 'second-chunk-first',
    lie: 'Reports the ids of everything after the hundredth message before those of the first hundred.',
    target: order,
    alsoKilledBy: [racing],
    ids: (ids) => [...ids.slice(100), ...ids.slice(0, 100)],
  }),
  wrongIds({
    id: 'adjacent-ids-swapped',
    lie: 'Swaps the ids of the two messages in the middle of a batch.',
    target: order,
    alsoKilledBy: [racing],
    ids: (ids) => {
      const right = Math.floor(ids.length / 2);
      const [a, b] = [ids[right - 1], ids[right]];
      return a === undefined || b === undefined ? ids : ids.with(right - 1, b).with(right, a);
    },
  }),
  wrongIds({
    id: 'same-id-for-all',
    lie: 'Reports the id of the first message for every message.',
    target: unique,
    alsoKilledBy: [racing, order, identical],
    ids: (ids) => ids.map(() => ids[0]!),
  }),
  wrongIds({
    id: 'ids-through-a-double',
    lie: 'Passes the ids through a number, which is exact up to 2^53 only.',
    target: 'send-batch/ids-are-lossless',
    ids: (ids) => ids.map((id) => (/^\d+$/.test(String(id)) ? BigInt(Number(id)) : id)),
  }),
  wrongIds({
    id: 'dense-ids',
    lie: 'Counts the ids up from the first one, whatever the engine gave the others.',
    target: 'send-batch/ids-survive-any-step',
    // There the ids of two batches alternate.
    alsoKilledBy: [concurrent],
    ids: (ids) => ids.map((_, slot) => (/^\d+$/.test(String(ids[0])) ? BigInt(ids[0]!) + BigInt(slot) : ids[slot]!)),
  }),
  batchMutant({
    id: 'second-batch-reuses-ids',
    lie: 'Puts a second batch of the same size in the place of the first, whose rows are gone.',
    target: unique,
    // One writes several batches before it looks; the other loses its neighbour's rows to this lie.
    alsoKilledBy: [
      racing,
      'send-batch/transient-fault-ends-whole',
      'send-batch/equal-times-stay-in-order',
      'send-batch/ambient-context-is-kept',
      'send-batch/acknowledged-survives-crash',
      concurrent,
    ],
    spoil(honest, tools) {
      let first: { size: number; before: unknown } | undefined;
      return async (messages, options) => {
        // The caller's objects may change while the hand is at work.
        const copy = ordinaryCopy(messages);
        if (copy === undefined) return honest(messages, options);
        const replaces = first !== undefined && first.size === copy.length;
        const before = await tools.hand.snapshot();
        if (replaces) await tools.hand.restore(first!.before);
        const reply = await ask(honest, copy, options);
        if (!hasFailed(reply)) {
          if (replaces) tools.lied();
          first ??= { size: copy.length, before };
        } else if (replaces) await tools.hand.restore(before);
        return answer(reply);
      };
    },
  }),
  batchMutant({
    id: 'second-batch-reports-the-first-ids',
    lie: 'Reports for a second batch of the same size the ids of the first.',
    target: unique,
    alsoKilledBy: [racing, concurrent],
    spoil(honest, tools) {
      let first: readonly ReportedOutcome[] | undefined;
      return async (messages, options) => {
        const outcomes = await honest(messages, options);
        if (idsOf(outcomes) === undefined || outcomes.length === 0) return outcomes;
        if (first === undefined || first.length !== outcomes.length) {
          first ??= outcomes;
          return outcomes;
        }
        tools.lied();
        return first;
      };
    },
  }),
];

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy' | 'needs'>>;

/** A lie about the ids of a batch that was stored whole. */
function wrongIds(m: Described & { ids(ids: readonly Id[], messages: readonly Message[]): readonly Id[] }): Mutant {
  const { ids: spoiled, ...described } = m;
  return batchMutant({
    ...described,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      const ids = idsOf(outcomes);
      if (ids === undefined || ids.length !== messages.length) return outcomes;
      const told = spoiled(ids, messages);
      if (told.some((id, slot) => String(id) !== String(ids[slot]))) tools.lied();
      return told.map((stored, slot) => ({ ...outcomes[slot], stored }));
    },
  });
}

/** The ids of a batch that was stored whole, or undefined. */
function idsOf(outcomes: readonly ReportedOutcome[]): Id[] | undefined {
  const ids = outcomes.map((outcome) => ('stored' in outcome ? outcome.stored : null));
  return ids.every((id) => id !== null) ? ids : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
