import { Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { mustHaveState } from '../differences.ts';
import type { ChildState, ScheduleState, State } from '../model.ts';
import type { Slot } from '../port.ts';
import { readState } from '../state.ts';
import type { Scene } from './scene.ts';

/** The schedule of a scene and its children, as they are stored. */
export interface Stored {
  schedule: ScheduleState;
  children: ChildState[];
}

/** Reads what is stored of a scene's schedule. Throws a `Violation` when it is not there. */
export async function storedOf({ bench, rig, schedule: { id } }: Scene): Promise<Stored> {
  const { schedules, children } = await readState(bench, rig);
  const schedule = schedules.find((stored) => stored.id === id);
  if (!schedule) throw new Violation(`the schedule ${id} was put, and is not there`);
  return { schedule, children: children.filter((child) => child.schedule === id) };
}

/** Makes a call, and fails the guard unless everything is afterwards as it was: each schedule, each row, each table. */
export function mustWriteNothing<T>(
  scene: Scene,
  what: string,
  call: () => Promise<T>,
  slots?: readonly Slot[],
): Promise<T> {
  return mustWriteOnly(scene, what, call, () => {}, slots);
}

/** Likewise, where the call is to change something in the rows that are there already. */
export async function mustWriteOnly<T>(
  { bench, rig }: Scene,
  what: string,
  call: () => Promise<T>,
  change: (state: State) => void,
  slots?: readonly Slot[],
): Promise<T> {
  const before = await rig.lease.snapshot();
  const state = await readState(bench, rig);
  const came = await call();
  change(state);
  await mustHaveState(bench, rig, state, what, slots);
  const after = await rig.lease.snapshot();
  for (const [table, rows] of Object.entries(after.tables)) {
    const had = before.tables[table] ?? 0;
    if (rows !== had)
      throw new Violation(`${what}: the table ${table} has ${count(rows, 'rows')}, expected ${had} as before`);
  }
  return came;
}
