import type { SlotOutcome } from '../../index.ts';
import { type Call, lossOf, runsAfter, untilTheEnd } from '../window.ts';
import type { Connection } from './connection.ts';
import { materializeBy } from './materializer.ts';
import { insertFree, type Occurrence } from './occurrences.ts';
import { audit, findSchedule, moveSchedule } from './schedules.ts';

/** One statement for all children of a window, which travels as one JSON text; whoever writes meanwhile waits. */
export const jsonEach = materializeBy(writeWindow, { chunk: 'none' });

function writeWindow(connection: Connection, call: Call<bigint>, slots: readonly Occurrence[]): SlotOutcome[] {
  const parent = findSchedule(connection, call.schedule);
  const loss = lossOf(parent, call);
  if (loss) return slots.map(() => loss);
  const served = untilTheEnd(slots);
  const last = served.at(-1);
  if (!last) return [];
  const { outcomes, created } = insertFree(connection, call, served);
  audit(connection, call, created, last.next);
  moveSchedule(connection, call, last.next, runsAfter(parent!.runs, created.length));
  return slots.map((_, i) => outcomes[i] ?? 'parent-inactive');
}
