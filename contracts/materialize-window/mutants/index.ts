import type { Mutant } from '../../kernel/mutant.ts';
import { writingMutants } from '../../writing/mutants/index.ts';
import { commitMutants } from './commits.ts';
import { controls } from './controls.ts';
import { masterMutants } from './master/index.ts';
import { moveMutants } from './moves.ts';
import { parentMutants } from './parent/index.ts';
import { raceMutants } from './races/index.ts';
import { rowMutants } from './rows/index.ts';
import { windowBatching } from './windows.ts';

/** The behavioural mutants of `materialize-window`. */
export const materializeWindowMutants: Mutant[] = [
  ...controls,
  ...writingMutants(windowBatching),
  ...commitMutants,
  ...masterMutants,
  ...moveMutants,
  ...rowMutants,
  ...raceMutants,
  ...parentMutants,
];
