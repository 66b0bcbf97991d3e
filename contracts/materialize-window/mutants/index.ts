import type { Mutant } from '../../kernel/mutant.ts';
import { controls } from './controls.ts';

/** The behavioural mutants of `materialize-window`. */
export const materializeWindowMutants: Mutant[] = [...controls];
