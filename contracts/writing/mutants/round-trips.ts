import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { ofSingles } from './killers.ts';
import { answer, ask, hasFailed } from './replies.ts';

/** Lies about how a batch travels. */
export function roundTripMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    batchMutant(batching, {
      id: 'loop-of-singles',
      lie: `Sends the ${batching.items} of a batch one after the other.`,
      target: 'is-one-round-trip-per-chunk',
      alsoKilledBy: [...ofSingles, 'is-one-commit'],
      spoil: (honest, tools) => async (items, options) => {
        const outcomes = [];
        // The caller's objects may change between two writes.
        for (const single of ordinaryCopy(batching, items) ?? items) {
          const reply = await ask(honest, [single], options);
          if (hasFailed(reply)) return answer(reply);
          outcomes.push(...answer(reply));
        }
        if (items.length > 1) tools.lied();
        return outcomes;
      },
    }),
  ];
}
