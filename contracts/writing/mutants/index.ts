import type { Mutant } from '../../kernel/mutant.ts';
import { aftermathMutants } from './aftermath.ts';
import { atomicityMutants } from './atomicity.ts';
import type { Batching } from './batching.ts';
import { cancellingMutants } from './cancelling.ts';
import { concurrencyMutants } from './concurrency.ts';
import { durabilityMutants } from './durability.ts';
import { emptyBatchMutants } from './empty-batch.ts';
import { inputMutants } from './inputs.ts';
import { lostAckMutants } from './lost-ack.ts';
import { roundTripMutants } from './round-trips.ts';
import { sizeMutants } from './sizes.ts';

/** Lies about what every writing contract promises, told of the batches of one. */
export function writingMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    ...atomicityMutants(batching),
    ...aftermathMutants(batching),
    ...concurrencyMutants(batching),
    ...lostAckMutants(batching),
    ...durabilityMutants(batching),
    ...cancellingMutants(batching),
    ...inputMutants(batching),
    ...emptyBatchMutants(batching),
    ...sizeMutants(batching),
    ...roundTripMutants(batching),
  ];
}
