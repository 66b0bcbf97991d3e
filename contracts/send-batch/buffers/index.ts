import type { Guard } from '../../kernel/guard.ts';
import { sentDuringFlushIsKept } from './during-flush.ts';
import { flushEqualsSingles } from './equals-singles.ts';
import { failedFlushIsToldAndKept, flushCoversEverythingAccepted, flushWritesOnce } from './flushes.ts';

/** What becomes of messages that wait in a buffer until they are flushed. */
export const bufferGuards: Guard[] = [
  flushCoversEverythingAccepted,
  flushEqualsSingles,
  sentDuringFlushIsKept,
  failedFlushIsToldAndKept,
  flushWritesOnce,
];
