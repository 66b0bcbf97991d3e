import type { Guard } from '../../kernel/guard.ts';
import { heldAbortTakesEffect } from './abort.ts';
import { heldCommitKeepsAll } from './commit.ts';
import { heldFailureLeavesNoHalf, heldFailureThrows } from './failure.ts';
import { heldForeignOrClosedIsRefused } from './refusals.ts';
import {
  heldRollbackRemovesAll,
  heldRowsWaitForTheCallersCommit,
  heldTransactionStaysTheCallers,
} from './visibility.ts';

/** What a batch owes to a transaction that its caller holds. */
export const heldGuards: Guard[] = [
  heldRowsWaitForTheCallersCommit,
  heldRollbackRemovesAll,
  heldCommitKeepsAll,
  heldFailureThrows,
  heldFailureLeavesNoHalf,
  heldTransactionStaysTheCallers,
  heldAbortTakesEffect,
  heldForeignOrClosedIsRefused,
];
