import type { Guard } from '../../kernel/guard.ts';
import { concurrentBatchesKeepTheirOwnIds } from './concurrent.ts';
import { callerIdsAreKept } from './given.ts';
import { idsAreLossless, idsSurviveAnyStep } from './identities.ts';
import { identicalMessages, idsAreUniqueAndReal, idsInCallerOrder } from './in-order.ts';

/** Which rows the ids of a batch name. */
export const idGuards: Guard[] = [
  idsInCallerOrder,
  idsAreUniqueAndReal,
  identicalMessages,
  idsSurviveAnyStep,
  idsAreLossless,
  callerIdsAreKept,
  concurrentBatchesKeepTheirOwnIds,
];
