import type { Guard } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';
import { nothingPersistsAfterFailure } from './atomicity.ts';
import {
  abortedBeforeStartWritesNothing,
  abortTakesEffect,
  cancelledIsAllOrNothing,
  usableAfterAbort,
} from './cancelling.ts';
import { commitFailureIsReported } from './commit-failure.ts';
import { concurrentFailureIsIsolated } from './concurrent-failure.ts';
import { acknowledgedSurvivesCrash } from './crashing.ts';
import { emptyBatch } from './empty-batch.ts';
import { failuresAtOnceLeaveNothing } from './failures-at-once.ts';
import { failedBatchDoesNotComeBack } from './ghosts.ts';
import { inputsAreNotTouched, inputsMayChangeInFlight } from './inputs.ts';
import { nothingArrivesLate } from './late.ts';
import { pastTheLimits } from './limits.ts';
import { lostAckIsAllOrNothing, unknownIsTold } from './lost-ack.ts';
import { noCliffAtLargeSizes } from './no-cliff.ts';
import { isOneCommit } from './one-commit.ts';
import { acknowledgedSurvivesReopen } from './reopening.ts';
import { isOneRoundTripPerChunk } from './round-trips.ts';
import { serverAbortIsReported } from './server-abort.ts';
import { transientFaultEndsWhole } from './transient-fault.ts';
import { backendUsableAfterFailure } from './usability.ts';
import { noPartialVisibility } from './visibility.ts';

/** The guards that every writing contract has, written once and registered under its name. */
export function writingGuards<Item>(w: Writes<Item>): Guard[] {
  return [
    nothingPersistsAfterFailure(w),
    noPartialVisibility(w),
    nothingArrivesLate(w),
    backendUsableAfterFailure(w),
    failedBatchDoesNotComeBack(w),
    commitFailureIsReported(w),
    serverAbortIsReported(w),
    transientFaultEndsWhole(w),
    concurrentFailureIsIsolated(w),
    failuresAtOnceLeaveNothing(w),
    lostAckIsAllOrNothing(w),
    unknownIsTold(w),
    acknowledgedSurvivesReopen(w),
    acknowledgedSurvivesCrash(w),
    abortTakesEffect(w),
    abortedBeforeStartWritesNothing(w),
    cancelledIsAllOrNothing(w),
    usableAfterAbort(w),
    inputsAreNotTouched(w),
    inputsMayChangeInFlight(w),
    emptyBatch(w),
    pastTheLimits(w),
    noCliffAtLargeSizes(w),
    isOneRoundTripPerChunk(w),
    isOneCommit(w),
  ];
}
