import type { Mutant } from '../../../kernel/mutant.ts';
import { completionMutants } from './completion.ts';
import { cursorMutants } from './cursor.ts';
import { lossMutants } from './losses.ts';
import { untouchedMutants } from './others.ts';
import { runMutants } from './runs.ts';

/** Lies about the schedule: when a call may write at all, and what it leaves in the schedule's row. */
export const parentMutants: Mutant[] = [
  ...cursorMutants,
  ...runMutants,
  ...lossMutants,
  ...completionMutants,
  ...untouchedMutants,
];
