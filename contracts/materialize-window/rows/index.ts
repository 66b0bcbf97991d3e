import type { Guard } from '../../kernel/guard.ts';
import { auditRowsPerSlot } from './audit.ts';
import { canonicalChildRow } from './canonical.ts';
import { capabilityBothWays } from './capability.ts';
import { clockIsTheDeclaredOne } from './clock.ts';
import { foreignConflictIsAnError } from './conflicts.ts';
import { disorderedWindowIsDeclared } from './disorder.ts';
import { metadataPerSlot } from './metadata.ts';
import { sameInstantOtherOffset } from './offsets.ts';
import { storageEnforcesTheSlot } from './unique.ts';

/** What each slot leaves behind, and what a call takes for it. */
export const rowGuards: Guard[] = [
  auditRowsPerSlot,
  metadataPerSlot,
  canonicalChildRow,
  clockIsTheDeclaredOne,
  sameInstantOtherOffset,
  disorderedWindowIsDeclared,
  foreignConflictIsAnError,
  storageEnforcesTheSlot,
  capabilityBothWays,
];
