import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { advanceOutcome } from '../calls.ts';
import { stateDifferences } from '../differences.ts';
import type { State } from '../model.ts';
import { readState } from '../state.ts';
import { byMember, materialized, members, mustTell, type Scene, setScene, slotsFor, windowOf } from './scene.ts';
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
          const window = windowOf(other);
          const slots = slotsFor(member, window);
          const what = `${byMember[member]} whose slots are taken under another schedule`;
          const { outcomes } = await materialized(other, member, window);
          mustTell(slots, outcomes, Array(slots.length).fill('created'), what);
          const stored = (await storedOf(other)).children.length;
          if (stored !== slots.length)
            throw new Violation(`${what}: ${count(stored, 'rows')} are stored, expected ${slots.length}`);
          bench.record('slots taken elsewhere', slots.length);
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

/** Two schedules with the same slots, cursor, version and runs. */
async function twins(bench: Bench, ends: boolean): Promise<{ other: Scene; scene: Scene }> {
  const other = await setScene(bench, { ends });
  return { other, scene: await setScene(bench, { rig: other.rig, slots: other.slots }) };
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
