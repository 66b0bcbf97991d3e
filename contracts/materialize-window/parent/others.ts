import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { advanceOutcome } from '../calls.ts';
import { stateDifferences } from '../differences.ts';
import type { State } from '../model.ts';
import { readState } from '../state.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustTell,
  type Scene,
  setScene,
  slotsFor,
  windowOf,
} from './scene.ts';
import { storedOf } from './stored.ts';

export const otherSchedulesAreUntouched: Guard = guard({
  id: 'materialize-window/other-schedules-are-untouched',
  statement: 'The same slots under another schedule are free, and nothing of that schedule changes.',
  proves: ['calls beside another schedule', 'slots taken elsewhere'],
  async check(bench) {
    for (const member of members) {
      for (const ends of [false, true]) {
        await bench.case(`${member}${ends ? '-to-the-end' : ''}`, async () => {
          const { other, scene } = await twins(bench, ends);
          const call = () => materialized(scene, member, windowOf(scene));
          await mustLeaveAlone(other, call, `${byMember[member]} of another schedule with the same slots and cursor`);
          await mustCreateAll(other, member, `${byMember[member]} whose slots are taken under another schedule`);
        });
      }
    }
    for (const member of members) {
      for (const [name, [one, other]] of Object.entries(akin)) {
        await bench.case(`${member}-${name}`, async () => {
          const id = `${bench.token()}-Schedule`;
          const { other: first, scene } = await twins(bench, false, [one(id), other(id)]);
          const what = `${byMember[member]} of the schedule ${scene.schedule.id} beside ${first.schedule.id}`;
          await mustLeaveAlone(first, () => materialized(scene, member, windowOf(scene)), what);
          await mustCreateAll(first, member, `${byMember[member]} of ${first.schedule.id} after ${scene.schedule.id}`);
        });
      }
    }
    await bench.case('advance', async () => {
      const { other, scene } = await twins(bench, false);
      const { slots, ...expected } = windowOf(scene);
      const call = () => advanceOutcome(scene.rig, { ...expected, next: slots[0]!.next });
      await mustLeaveAlone(other, call, 'an advance of another schedule with the same cursor');
    });
  },
});

/** Ids of two schedules that are easily taken for each other. */
const akin: Record<string, [one: (id: string) => string, other: (id: string) => string]> = {
  'beside-a-longer-id': [(id) => `${id}-1`, (id) => id],
  'beside-a-shorter-id': [(id) => id, (id) => `${id}-1`],
  'beside-the-id-in-capitals': [(id) => id.toUpperCase(), (id) => id],
};

/** Two schedules with the same slots, cursor, version and runs; their ids may be given. */
async function twins(bench: Bench, ends: boolean, [one, two]: string[] = []): Promise<{ other: Scene; scene: Scene }> {
  const named = (id: string | undefined) => (id === undefined ? {} : { schedule: { id } });
  const other = await setScene(bench, { ends, ...named(one) });
  return { other, scene: await setScene(bench, { rig: other.rig, slots: other.slots, ...named(two) }) };
}

/** Fails the guard unless every slot of the scene is created, whatever is there under another schedule. */
async function mustCreateAll(scene: Scene, member: Member, what: string): Promise<void> {
  const window = windowOf(scene);
  const slots = slotsFor(member, window);
  const { outcomes } = await materialized(scene, member, window);
  mustTell(slots, outcomes, Array(slots.length).fill('created'), what);
  const stored = (await storedOf(scene)).children.length;
  if (stored !== slots.length)
    throw new Violation(`${what}: ${count(stored, 'rows')} are stored, expected ${slots.length}`);
  scene.bench.record('slots taken elsewhere', slots.length);
}

/** Makes a call, and fails the guard unless all that belongs to the other schedule is as it was. */
async function mustLeaveAlone(other: Scene, call: () => Promise<unknown>, what: string): Promise<void> {
  const { bench, rig, schedule } = other;
  const before = belonging(await readState(bench, rig), schedule.id);
  await call();
  const [difference] = stateDifferences(bench, before, belonging(await readState(bench, rig), schedule.id));
  if (difference) throw new Violation(`${what}: ${difference.words}`);
  bench.record('calls beside another schedule', 1);
}

function belonging({ schedules, children, audits }: State, id: string): State {
  const isOf = ({ schedule }: { schedule: string }) => schedule === id;
  return {
    schedules: schedules.filter((schedule) => schedule.id === id),
    children: children.filter(isOf),
    audits: audits?.filter(isOf) ?? null,
  };
}
