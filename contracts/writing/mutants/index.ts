import type { Mutant } from '../../kernel/mutant.ts';
import { aftermathMutants } from './aftermath.ts';
import { atomicityMutants } from './atomicity.ts';
import type { Batching } from './batching.ts';

/** Lies about what every writing contract promises, told of one of them. */
export function writingMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [...atomicityMutants(batching), ...aftermathMutants(batching)];
}
