import type { Guard } from '../../kernel/guard.ts';
import { distinctKeysStayDistinct, keysAreKept } from './distinct.ts';
import { duplicateInsideTheBatch, duplicatesAreNamed } from './duplicates.ts';
import { failedKeysAreFree } from './freed.ts';
import { idsBesideDuplicates } from './ids.ts';
import { oppositeOrdersDoNotDeadlock, racingKeysStoreOnce } from './races.ts';
import { keyIsBoundToContent, replayIsRecognised, replayWithFreshItems, retryDoesNotDuplicate } from './retries.ts';
import { duplicatesEqualSingles } from './singles.ts';
import { loserWaitsForTheHolder } from './waiting.ts';

/** What a batch owes to the keys of its messages, where they have any. */
export const keyGuards: Guard[] = [
  duplicatesAreNamed,
  duplicateInsideTheBatch,
  duplicatesEqualSingles,
  idsBesideDuplicates,
  distinctKeysStayDistinct,
  keysAreKept,
  failedKeysAreFree,
  retryDoesNotDuplicate,
  replayIsRecognised,
  replayWithFreshItems,
  keyIsBoundToContent,
  racingKeysStoreOnce,
  loserWaitsForTheHolder,
  oppositeOrdersDoNotDeadlock,
];
