import type { Guard } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';
import { evidenceGuards } from './evidence.ts';
import { foundationGuards } from './foundation.ts';
import { honestyGuards } from './honesty.ts';
import { singleWriteIsSeen } from './single-write.ts';

/** The guards that show that a verdict about this contract can be believed; they run before all others. */
export function setupGuards<Item>(w: Writes<Item>): Guard[] {
  return [...foundationGuards(w), singleWriteIsSeen(w), ...evidenceGuards(w), ...honestyGuards(w)];
}
