import { contract } from '../kernel/guard.ts';
import { setupGuards } from '../setup/index.ts';
import { writingGuards } from '../writing/index.ts';
import { bodyRoundTrips } from './bodies.ts';
import { everyOutcomeReportsTheFailure, unserializableBodyFailsWhole } from './failure.ts';
import { heldFailureLeavesNoHalf, heldFailureThrows } from './held-failure.ts';
import { heldForeignOrClosedIsRefused } from './held-refusals.ts';
import {
  heldRollbackRemovesAll,
  heldRowsWaitForTheCallersCommit,
  heldTransactionStaysTheCallers,
} from './held-visibility.ts';
import { idsAreLossless, idsSurviveAnyStep } from './identities.ts';
import { identicalMessages, idsAreUniqueAndReal, idsInCallerOrder } from './ids.ts';
import { batchEqualsSingles, metadataRoundTrips, mixedShapesKeepTheirColumns } from './metadata.ts';
import { missingNamespaceIsAnError, scheduledJobsAreRejected } from './refusals.ts';
import { statusRowPerMessage } from './status.ts';
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
    unserializableBodyFailsWhole,
    heldRowsWaitForTheCallersCommit,
    heldRollbackRemovesAll,
    heldFailureThrows,
    heldFailureLeavesNoHalf,
    heldTransactionStaysTheCallers,
    heldForeignOrClosedIsRefused,
    idsInCallerOrder,
    idsAreUniqueAndReal,
    identicalMessages,
    idsSurviveAnyStep,
    idsAreLossless,
    metadataRoundTrips,
    batchEqualsSingles,
    mixedShapesKeepTheirColumns,
    bodyRoundTrips,
    timeIsExact,
    clockIsTheDeclaredOne,
    statusRowPerMessage,
    missingNamespaceIsAnError,
    scheduledJobsAreRejected,
  ],
});
