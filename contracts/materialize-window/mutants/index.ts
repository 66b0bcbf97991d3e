import type { Mutant } from '../../kernel/mutant.ts';
import { writingMutants } from '../../writing/mutants/index.ts';
import { controls } from './controls.ts';
import { parentMutants } from './parent/index.ts';
import { windowBatching } from './windows.ts';

/** The behavioural mutants of `materialize-window`. */
export const materializeWindowMutants: Mutant[] = [...controls, ...writingMutants(windowBatching), ...parentMutants];
