import type { Guard } from '../../kernel/guard.ts';
import { equalsTheModel, fallbackEqualsBulk } from './by-model.ts';
import { equalsTheFoldOfSingles } from './fold.ts';
import { conflictNamesItsSlot, outcomePerSlotInOrder } from './outcomes.ts';
import { duplicateSlotInOneWindow } from './twins.ts';

/** Whether what a window tells and leaves is right, slot by slot. */
export const masterGuards: Guard[] = [
  equalsTheModel,
  equalsTheFoldOfSingles,
  fallbackEqualsBulk,
  outcomePerSlotInOrder,
  conflictNamesItsSlot,
  duplicateSlotInOneWindow,
];
