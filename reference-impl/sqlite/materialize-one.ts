import type { SlotOutcome } from '../../index.ts';
import { type Call, lossOf, type ParentLoss, runsAfter } from '../window.ts';
import type { Connection } from './connection.ts';
import { insertOne, type Occurrence } from './occurrences.ts';
import { audit, findSchedule, moveSchedule } from './schedules.ts';

/** Materializes one slot, inside a transaction. One that is taken leaves the schedule as it is. */
export function materializeOne(connection: Connection, call: Call<bigint>, slot: Occurrence): SlotOutcome {
  const parent = findSchedule(connection, call.schedule);
  const loss = lossOf(parent, call);
  if (loss) return loss;
  const id = insertOne(connection, call, slot);
  if (id === undefined) return 'already-exists';
  moveSchedule(connection, call, slot.next, runsAfter(parent!.runs, 1));
  audit(connection, call, [slot.slotAt], slot.next);
  return { created: id };
}

/** Moves the cursor past a slot that is taken, inside a transaction. */
export function advanceOne(connection: Connection, call: Call<bigint>, next: bigint | null): 'advanced' | ParentLoss {
  const parent = findSchedule(connection, call.schedule);
  const loss = lossOf(parent, call);
  if (loss) return loss;
  moveSchedule(connection, call, next, parent!.runs);
  audit(connection, call, [], next);
  return 'advanced';
}
