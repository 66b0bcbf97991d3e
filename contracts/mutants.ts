import type { Mutant } from './kernel/mutant.ts';
import { sendBatchMutants } from './send-batch/mutants/index.ts';

/** Every behavioural mutant, contract by contract. */
export const mutants: Mutant[] = [...sendBatchMutants];
