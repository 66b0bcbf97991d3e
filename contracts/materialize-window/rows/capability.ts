import { about } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { advanceOutcome, slotResult, windowResult } from '../calls.ts';
import { givenInstant, instantText } from '../instants.ts';
import { mustTell, setScene, windowOf } from '../parent/scene.ts';
import type { Schedule } from '../port.ts';
import { readState } from '../state.ts';
import { expecting } from '../writes.ts';

export const capabilityBothWays: Guard = guard({
  id: 'materialize-window/capability-both-ways',
  statement:
    'Where bulk is promised every member of the port is there and works; where it is given up there is no bulk member, and a window is served slot by slot.',
  proves: ['members called', 'windows served'],
  async check(bench) {
    const promised = bench.declaration.givesUp.bulk === undefined;
    await bench.case('members', () => mustHaveMembers(bench, promised));
    await bench.case('single-member', () => singleWorks(bench));
    await bench.case('advance', () => advanceWorks(bench));
    await bench.case(promised ? 'bulk-member' : 'slot-by-slot', () => windowWorks(bench, promised));
  },
});

async function mustHaveMembers(bench: Bench, promised: boolean): Promise<void> {
  const { subject } = await bench.open();
  const owed = ['putSchedules', 'materialize', 'advance', ...(promised ? ['materializeWindow'] : [])];
  const missing = owed.filter((member) => !subject.members.includes(member));
  if (missing.length > 0) {
    const why = promised ? 'bulk is promised' : 'a window is served by these members';
    throw new Violation(`the port has no member ${missing.join(', ')}, and ${why}`);
  }
  if (!promised && subject.members.includes('materializeWindow')) {
    throw new Violation(
      'bulk is given up, yet the port has a member materializeWindow: nobody calls it; declare bulk, or leave it out',
    );
  }
}

async function singleWorks(bench: Bench): Promise<void> {
  const { rig, schedule, slots } = await setScene(bench);
  const [slot] = slots;
  const what = 'materialize, with a slot that is free';
  const { outcome } = await slotResult(rig, { ...expecting(schedule), slot: slot! });
  mustTell([slot!], [outcome], ['created'], what);
  await mustHaveChildren(bench, rig, schedule, 1, what);
  // The schedule had to be put.
  bench.record('members called', 2);
}

async function advanceWorks(bench: Bench): Promise<void> {
  const { rig, schedule, slots } = await setScene(bench);
  const { next } = slots[0]!;
  const outcome = await advanceOutcome(rig, { ...expecting(schedule), next });
  if (outcome !== 'advanced') throw new Violation(`advance, of a schedule that stands as expected, told ${outcome}`);
  const { cursor } = (await readState(bench, rig)).schedules.find(({ id }) => id === schedule.id)!;
  if (cursor !== givenInstant(next!, bench.declaration.timeResolution)) {
    const found = cursor === null ? 'null' : instantText(cursor);
    throw new Violation(`advance told advanced, yet the cursor is ${found}, expected ${next}`);
  }
  bench.record('members called', 1);
}

async function windowWorks(bench: Bench, promised: boolean): Promise<void> {
  const scene = await setScene(bench);
  const { rig, schedule, slots } = scene;
  const what = promised ? 'materializeWindow, with free slots' : 'a window of free slots, served slot by slot,';
  const { outcomes } = await windowResult(bench, rig, windowOf(scene));
  mustTell(slots, outcomes, Array(slots.length).fill('created'), what);
  await mustHaveChildren(bench, rig, schedule, slots.length, what);
  bench.record('windows served', 1);
}

async function mustHaveChildren(bench: Bench, rig: Rig, { id }: Schedule, expected: number, what: string) {
  const children = (await readState(bench, rig)).children.filter(({ schedule }) => schedule === id);
  if (children.length === expected) return;
  throw new Violation(`${about(what)}: ${count(children.length, 'child rows')} are stored, expected ${expected}`);
}
