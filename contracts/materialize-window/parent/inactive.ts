import { type Guard, guard } from '../../kernel/guard.ts';
import { putSchedules } from '../calls.ts';
import type { Expected, Schedule } from '../port.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustBeServed,
  mustTellAll,
  type Scene,
  setScene,
  slotsFor,
  windowOf,
} from './scene.ts';
import { mustWriteNothing } from './stored.ts';

/** The ways in which a schedule that is there is not to be served. */
export const inactive: Record<string, Partial<Schedule>> = {
  cancelled: { status: 'cancelled' },
  'cancelled-without-a-cursor': { status: 'cancelled', cursor: null },
  completed: { status: 'completed', cursor: null },
  'completed-with-a-cursor': { status: 'completed' },
  cursorless: { cursor: null },
};

export const inactiveParentWritesNothing: Guard = guard({
  id: 'materialize-window/inactive-parent-writes-nothing',
  statement:
    'For a schedule that is missing, cancelled, completed or without a cursor every slot is told parent-inactive, and nothing is written: a finished one never gets a cursor back.',
  proves: ['calls for an inactive schedule', 'calls for one that is active'],
  async check(bench) {
    for (const member of members) {
      await bench.case(`${member}-missing`, async () => {
        const scene = await setScene(bench);
        await mustBeInactive(scene, member, { schedule: `${scene.schedule.id}-missing` }, 'that is not there');
        await mustBeServedWhenActive(scene, member);
      });
      for (const [name, change] of Object.entries(inactive)) {
        await bench.case(`${member}-${name}`, async () => {
          const scene = await setScene(bench, { schedule: change });
          const { status, cursor } = scene.schedule;
          const how = `that is ${status}, with ${cursor === null ? 'no cursor' : 'a cursor'}`;
          await mustBeInactive(scene, member, {}, how);
          // By a caller who has not seen that it ended.
          if (cursor === null) await mustBeInactive(scene, member, { expectedCursor: scene.slots[0]!.at }, how);
          await mustBeServedWhenActive(scene, member);
        });
      }
    }
  },
});

async function mustBeInactive(
  scene: Scene,
  member: Member,
  expectation: Partial<Expected>,
  how: string,
): Promise<void> {
  const window = { ...windowOf(scene), ...expectation };
  const what = `${byMember[member]} of a schedule ${how}`;
  const asked = slotsFor(member, window);
  const { outcomes } = await mustWriteNothing(scene, what, () => materialized(scene, member, window), asked);
  mustTellAll(asked, outcomes, 'parent-inactive', what);
  scene.bench.record('calls for an inactive schedule', 1);
}

/** Nothing but the schedule was wrong. */
async function mustBeServedWhenActive(scene: Scene, member: Member): Promise<void> {
  const schedule: Schedule = { ...scene.schedule, status: 'active', cursor: scene.slots[0]!.at };
  await putSchedules(scene.rig, [schedule]);
  await mustBeServed({ ...scene, schedule }, member);
  scene.bench.record('calls for one that is active', 1);
}
