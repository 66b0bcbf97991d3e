import type { SlotOutcome } from '../../index.ts';
import { type Call, lossOf, runsAfter, untilTheEnd } from '../window.ts';
import type { Connection } from './connection.ts';
import { materializeBy } from './materializer.ts';
import { insertFree, type Occurrence } from './occurrences.ts';
import { audit, findSchedule, moveAsExpected, setRuns } from './schedules.ts';

/** The schedule is moved at once if it is as expected, without being read; only a call that loses reads why. */
export const optimistic = materializeBy(writeWindow, { chunk: 'none' });

function writeWindow(connection: Connection, call: Call<bigint>, slots: readonly Occurrence[]): SlotOutcome[] {
  const served = untilTheEnd(slots);
  const last = served.at(-1);
  if (!last) return [];
  const moved = moveAsExpected(connection, call, last.next);
  if (!moved) {
    const loss = lossOf(findSchedule(connection, call.schedule), call)!;
    return slots.map(() => loss);
  }
  const { outcomes, created } = insertFree(connection, call, served);
  audit(connection, call, created, last.next);
  setRuns(connection, call.schedule, runsAfter(moved.runs, created.length));
  return slots.map((_, i) => outcomes[i] ?? 'parent-inactive');
}
