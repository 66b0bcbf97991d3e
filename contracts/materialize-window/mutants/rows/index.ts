import type { Mutant } from '../../../kernel/mutant.ts';
import { auditMutants } from './audit.ts';
import { capabilityMutants } from './capability.ts';
import { childMutants } from './children.ts';
import { instantMutants } from './instants.ts';

/** Lies about what each slot leaves behind, and about what a call takes for it. */
export const rowMutants: Mutant[] = [...auditMutants, ...childMutants, ...instantMutants, ...capabilityMutants];
