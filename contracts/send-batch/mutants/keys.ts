import type { Mutant } from '../../kernel/mutant.ts';
import { distinctKeyMutants } from './keys-distinct.ts';
import { duplicateMutants } from './keys-duplicates.ts';
import { keyedIdMutants } from './keys-ids.ts';
import { keyRaceMutants } from './keys-races.ts';
import { replayMutants } from './keys-replays.ts';

/** Lies about the keys of messages. */
export const keyMutants: Mutant[] = [
  ...duplicateMutants,
  ...keyedIdMutants,
  ...distinctKeyMutants,
  ...replayMutants,
  ...keyRaceMutants,
];
