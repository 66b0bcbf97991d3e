import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant } from './batching.ts';

const target = 'empty-batch';

/** Lies about the batch that holds nothing. */
export function emptyBatchMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    batchMutant(batching, {
      id: 'empty-batch-throws',
      lie: 'Throws when a batch is empty.',
      target,
      spoil: (honest, tools) => async (items, options) => {
        if (items.length > 0) return honest(items, options);
        tools.lied();
        throw new Error('syntax error at or near ";"');
      },
    }),
    batchMutant(batching, {
      id: 'empty-batch-never-settles',
      timeout: 5000,
      lie: 'Never settles when a batch is empty.',
      target,
      spoil: (honest, tools) => async (items, options) => {
        if (items.length > 0) return honest(items, options);
        tools.lied();
        return new Promise(() => {});
      },
    }),
  ];
}
