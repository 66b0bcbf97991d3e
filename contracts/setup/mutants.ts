import type { Mutant } from '../kernel/mutant.ts';

/** Lies about the setup: leases, faults, probes, generated items. They spoil what a guard works with, in the judge. */
export const setupMutants: Mutant[] = [];
