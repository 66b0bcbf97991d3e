import type { Mutant } from '../../kernel/mutant.ts';
import { evidenceMutants } from './evidence.ts';
import { foundationMutants } from './foundation.ts';
import { honestyMutants } from './honesty.ts';
import { singleWriteMutants } from './single-write.ts';

/** Lies about what guards work with, in the judge: leases, faults, probes, declarations, generated items. */
export const setupMutants: Mutant[] = [
  ...foundationMutants,
  ...singleWriteMutants,
  ...evidenceMutants,
  ...honestyMutants,
];
