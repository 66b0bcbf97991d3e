import type { Guard } from '../../kernel/guard.ts';
import { equalsTheModel, fallbackEqualsBulk } from './by-model.ts';
import { equalsTheFoldOfSingles } from './fold.ts';

/** Whether what a window tells and leaves is right, slot by slot. */
export const masterGuards: Guard[] = [equalsTheModel, equalsTheFoldOfSingles, fallbackEqualsBulk];
