import type { Guard } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';
import { noPartialVisibility, nothingPersistsAfterFailure } from './atomicity.ts';
import { emptyBatch } from './empty-batch.ts';
import { inputsAreNotTouched, inputsMayChangeInFlight } from './inputs.ts';
import { pastTheLimits } from './limits.ts';
import { isOneRoundTripPerChunk } from './round-trips.ts';
import { backendUsableAfterFailure } from './usability.ts';

/** The guards that every writing contract has, written once and registered under its name. */
export function writingGuards<Item>(w: Writes<Item>): Guard[] {
  return [
    nothingPersistsAfterFailure(w),
    noPartialVisibility(w),
    backendUsableAfterFailure(w),
    inputsAreNotTouched(w),
    inputsMayChangeInFlight(w),
    emptyBatch(w),
    pastTheLimits(w),
    isOneRoundTripPerChunk(w),
  ];
}
