import type { Guard } from '../../kernel/guard.ts';
import { errorKeepsItsClass, foreignConflictIsAnError, originalErrorSurvivesRollback } from './errors.ts';
import { scheduledJobsAreRejected } from './jobs.ts';
import { eachOutcomeIsTrue } from './partial.ts';
import { invalidMessageFailsWhole, missingNamespaceIsAnError, unknownDestinationFailsWhole } from './refusals.ts';
import { everyOutcomeReportsTheFailure, unserializableBodyFailsWhole } from './reported.ts';
import { unsupportedOptionIsRefused } from './unsupported.ts';

/** How a batch fails, and what its caller is told of that. */
export const failureGuards: Guard[] = [
  everyOutcomeReportsTheFailure,
  eachOutcomeIsTrue,
  originalErrorSurvivesRollback,
  foreignConflictIsAnError,
  errorKeepsItsClass,
  unserializableBodyFailsWhole,
  invalidMessageFailsWhole,
  unknownDestinationFailsWhole,
  unsupportedOptionIsRefused,
  missingNamespaceIsAnError,
  scheduledJobsAreRejected,
];
