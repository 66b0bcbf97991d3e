import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, type BatchLie, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, failWhole, hasFailed } from './replies.ts';

/** A lie that commits a batch in parts, given by the slots of each; the outcomes are in the caller's order. */
export function inParts<Item>(
  batching: Batching<Item>,
  m: Pick<BatchLie<Item>, 'id' | 'lie' | 'target' | 'alsoKilledBy'> & {
    parts(items: readonly Item[]): number[][];
    /** The parts before one that fails are deleted again. */
    undone?: boolean;
  },
): Mutant {
  const { parts, undone = false, ...described } = m;
  return batchMutant(batching, {
    ...described,
    spoil: (honest, tools) => async (items, options) => {
      const copy = ordinaryCopy(batching, items);
      const groups = copy ? parts(copy).filter((slots) => slots.length > 0) : [];
      if (copy === undefined || groups.length < 2) return honest(items, options);
      const before = undone ? await tools.hand.snapshot() : undefined;
      const outcomes: ReportedOutcome[] = [];
      for (const [index, slots] of groups.entries()) {
        const reply = await ask(
          honest,
          slots.map((slot) => copy[slot]!),
          options,
        );
        if (hasFailed(reply)) {
          if (undone) await tools.hand.restore(before);
          return failWhole(reply, copy.length);
        }
        answer(reply).forEach((outcome, i) => {
          outcomes[slots[i]!] = outcome;
        });
        if (index === 0) tools.lied();
      }
      return outcomes;
    },
  });
}

/** The slots from one to before another. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
