import { type Bench, type Guard, type Rig, Violation } from '../kernel/guard.ts';
import { withRigs } from '../kernel/with-rigs.ts';
import { putSchedules } from './calls.ts';
import type { Schedule } from './port.ts';
import { gridInstant } from './slots.ts';

/** Schedules that are put at once. */
const some = 64;

/**
 * Schedules that nobody has used yet, by the subject that they were put through. They are put before a write and not by
 * it, so that what a guard counts, holds or cuts is the write alone.
 */
const pools = new WeakMap<Rig, Pool>();
interface Pool {
  bench: Bench;
  unused: Schedule[];
}

/** The guard, with subjects whose schedules are there when it gets them. */
export function withSchedules(guard: Guard): Guard {
  return {
    ...guard,
    check: (bench) =>
      guard.check(
        withRigs(bench, async (rig) => {
          pools.set(rig, { bench, unused: [] });
          // What cannot be put is for whoever writes first: a guard that reads has its own say about an empty namespace.
          await fill(bench, rig).catch((error) => {
            if (!(error instanceof Violation)) throw error;
          });
          return rig;
        }),
      ),
  };
}

/** An active schedule that no write has met, whose cursor is before every slot; and the bench that the guard works at. */
export async function unusedSchedule(rig: Rig): Promise<{ bench: Bench; schedule: Schedule }> {
  const pool = pools.get(rig);
  if (!pool) throw new TypeError('a guard that writes needs a subject whose schedules are there: withSchedules');
  if (pool.unused.length === 0) await fill(pool.bench, rig);
  return { bench: pool.bench, schedule: pools.get(rig)!.unused.pop()! };
}

async function fill(bench: Bench, rig: Rig): Promise<void> {
  const name = bench.token();
  const schedules = Array.from({ length: some }, (_, i) => newSchedule(`${name}-schedule-${i}`));
  await putSchedules(rig, schedules);
  pools.set(rig, { bench, unused: schedules });
}

/** An active schedule at the first instant of the grid. */
export function newSchedule(id: string): Schedule {
  return { id, status: 'active', version: 3, cursor: gridInstant(0), runs: 0, error: null };
}
