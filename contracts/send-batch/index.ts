import { contract } from '../kernel/guard.ts';
import { setupGuards } from '../setup/index.ts';
import { writingGuards } from '../writing/index.ts';
import { ambientContextIsKept } from './ambient.ts';
import { equalTimesStayInOrder } from './arrival.ts';
import { bodyRoundTrips } from './bodies.ts';
import { failedFlushIsToldAndKept, flushCoversEverythingAccepted, flushWritesOnce } from './buffered.ts';
import { callerIdsAreKept } from './caller-ids.ts';
import { chunkSizeOption } from './chunk-size.ts';
import { concurrentBatchesKeepTheirOwnIds } from './concurrent-ids.ts';
import { defaultsArePerRow } from './defaults.ts';
import { sentDuringFlushIsKept } from './during-flush.ts';
import { emptyBatchSendsNothing } from './empty.ts';
import { errorKeepsItsClass, foreignConflictIsAnError, originalErrorSurvivesRollback } from './errors.ts';
import { everyOutcomeReportsTheFailure, unserializableBodyFailsWhole } from './failure.ts';
import { explicitFalsyIsKept } from './falsy.ts';
import { heldFailureLeavesNoHalf, heldFailureThrows } from './held-failure.ts';
import { heldForeignOrClosedIsRefused } from './held-refusals.ts';
import {
  heldRollbackRemovesAll,
  heldRowsWaitForTheCallersCommit,
  heldTransactionStaysTheCallers,
} from './held-visibility.ts';
import { idsAreLossless, idsSurviveAnyStep } from './identities.ts';
import { identicalMessages, idsAreUniqueAndReal, idsInCallerOrder } from './ids.ts';
import { scheduledJobsAreRejected } from './jobs.ts';
import { keyGuards } from './keys/index.ts';
import { batchEqualsSingles, metadataRoundTrips, mixedShapesKeepTheirColumns } from './metadata.ts';
import { outcomeDescribesItsMessage } from './outcome-fields.ts';
import { ownReadsAgree } from './own-reads.ts';
import { eachOutcomeIsTrue } from './partial.ts';
import {
  invalidMessageFailsWhole,
  missingNamespaceIsAnError,
  unknownDestinationFailsWhole,
  unsupportedOptionIsRefused,
} from './refusals.ts';
import { statusRowPerMessage } from './status.ts';
import { syncAndAsyncAgree } from './sync.ts';
import { clockIsTheDeclaredOne, timeIsExact } from './time.ts';
import { sendWrites } from './writes.ts';

/** What a batch of messages owes its caller. */
export const sendBatch = contract({
  name: 'send-batch',
  title: "a whole batch of messages: ids in the caller's order, all or nothing, every option kept",
  guards: [
    ...setupGuards(sendWrites),
    ...writingGuards(sendWrites),
    everyOutcomeReportsTheFailure,
    eachOutcomeIsTrue,
    originalErrorSurvivesRollback,
    unserializableBodyFailsWhole,
    invalidMessageFailsWhole,
    unknownDestinationFailsWhole,
    foreignConflictIsAnError,
    errorKeepsItsClass,
    heldRowsWaitForTheCallersCommit,
    heldRollbackRemovesAll,
    heldFailureThrows,
    heldFailureLeavesNoHalf,
    heldTransactionStaysTheCallers,
    heldForeignOrClosedIsRefused,
    idsInCallerOrder,
    idsAreUniqueAndReal,
    outcomeDescribesItsMessage,
    identicalMessages,
    idsSurviveAnyStep,
    idsAreLossless,
    callerIdsAreKept,
    concurrentBatchesKeepTheirOwnIds,
    equalTimesStayInOrder,
    syncAndAsyncAgree,
    metadataRoundTrips,
    batchEqualsSingles,
    defaultsArePerRow,
    ambientContextIsKept,
    mixedShapesKeepTheirColumns,
    explicitFalsyIsKept,
    bodyRoundTrips,
    timeIsExact,
    clockIsTheDeclaredOne,
    statusRowPerMessage,
    unsupportedOptionIsRefused,
    missingNamespaceIsAnError,
    emptyBatchSendsNothing,
    scheduledJobsAreRejected,
    chunkSizeOption,
    ownReadsAgree,
    flushCoversEverythingAccepted,
    sentDuringFlushIsKept,
    failedFlushIsToldAndKept,
    flushWritesOnce,
    ...keyGuards,
  ],
});
