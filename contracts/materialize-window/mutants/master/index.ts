import type { Mutant } from '../../../kernel/mutant.ts';
import { gridMutants } from './grids.ts';
import { outcomeMutants } from './outcomes.ts';
import { twinMutants } from './twins.ts';
import { wholeMutants } from './whole.ts';

/** Lies about what a window tells and leaves, slot by slot. */
export const masterMutants: Mutant[] = [...outcomeMutants, ...twinMutants, ...wholeMutants, ...gridMutants];
