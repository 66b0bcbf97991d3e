import type { Mutant } from '../../../kernel/mutant.ts';
import { distinctKeyMutants } from './distinct.ts';
import { duplicateMutants } from './duplicates.ts';
import { failedKeyMutants } from './failed.ts';
import { keyedIdMutants } from './ids.ts';
import { keyRaceMutants } from './races.ts';
import { replayMutants } from './replays.ts';
import { touchedRowMutants } from './touched.ts';

/** Lies about the keys of messages. */
export const keyMutants: Mutant[] = [
  ...duplicateMutants,
  ...touchedRowMutants,
  ...keyedIdMutants,
  ...distinctKeyMutants,
  ...failedKeyMutants,
  ...replayMutants,
  ...keyRaceMutants,
];
