import type { Guard } from '../../kernel/guard.ts';
import {
  lastSlotCompletesTheSchedule,
  slotsAfterCompletionAreInactive,
  takenLastSlotStillCompletes,
} from './completion.ts';
import { cursorNeverPassesAnUnwrittenSlot } from './cursor.ts';
import { inactiveParentWritesNothing } from './inactive.ts';
import { advanceMovesOnlyTheCursor, takenSlotLeavesTheSingleUnmoved } from './moves.ts';
import { otherSchedulesAreUntouched } from './others.ts';
import { precedenceIsFixed } from './precedence.ts';
import { repeatIsHarmless } from './repeat.ts';
import { conflictSpendsNoRun, nullRunCountCountsAsZero, runCountSaturates } from './runs.ts';
import { staleCursorWritesNothing, staleVersionWritesNothing } from './stale.ts';

/** What a call owes the schedule: when it may write at all, and what it leaves in the schedule's row. */
export const parentGuards: Guard[] = [
  cursorNeverPassesAnUnwrittenSlot,
  conflictSpendsNoRun,
  runCountSaturates,
  nullRunCountCountsAsZero,
  staleVersionWritesNothing,
  staleCursorWritesNothing,
  inactiveParentWritesNothing,
  precedenceIsFixed,
  lastSlotCompletesTheSchedule,
  takenLastSlotStillCompletes,
  slotsAfterCompletionAreInactive,
  advanceMovesOnlyTheCursor,
  takenSlotLeavesTheSingleUnmoved,
  otherSchedulesAreUntouched,
  repeatIsHarmless,
];
