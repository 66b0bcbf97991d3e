import { type Bench, type Guard, guard, type Rig, Vacuous, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { advanceOutcome, putSchedules } from '../calls.ts';
import { givenInstant, instantText } from '../instants.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustTell,
  type Scene,
  setScene,
  windowOf,
} from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';
import type { Window } from '../port.ts';
import { expecting } from '../writes.ts';

const minute = 60_000;

/** Offsets as `Date` never writes them, in minutes. */
const offsets: [text: string, minutes: number][] = [
  ['+05:00', 300],
  ['-09:30', -570],
  ['+12:45', 765],
  ['+00:00', 0],
];

/** Writes the same instant as the clocks show it that are so far from UTC. */
type Rewrite = (at: string) => string;

export const sameInstantOtherOffset: Guard = guard({
  id: 'materialize-window/same-instant-other-offset',
  statement:
    'An instant that is given with another offset is the same instant: as the expected cursor, as a slot, as its next, and as the cursor of a schedule that is put.',
  proves: ['instants given with another offset'],
  async check(bench) {
    const inEach = (name: string, tries: (rig: Rig, rewrite: Rewrite) => Promise<void>) =>
      bench.case(name, async () => {
        const rig = await bench.open();
        for (const [text, minutes] of offsets) await tries(rig, (at) => rewritten(bench, at, text, minutes));
      });
    for (const member of members) {
      await inEach(`${member}-expected-cursor`, (rig, rewrite) => asExpectedCursor(bench, rig, member, rewrite));
      await inEach(`${member}-taken-slot`, (rig, rewrite) => asTakenSlot(bench, rig, member, rewrite));
      await inEach(`${member}-next`, (rig, rewrite) => asNext(bench, rig, member, rewrite));
      await inEach(`${member}-stored-cursor`, (rig, rewrite) => asStoredCursor(bench, rig, member, rewrite));
    }
    await inEach('bulk-twin-slots', (rig, rewrite) => asTwins(bench, rig, rewrite));
    await inEach('advance', (rig, rewrite) => asAdvanced(bench, rig, rewrite));
  },
});

function rewritten(bench: Bench, at: string, offset: string, minutes: number): string {
  const text = new Date(Date.parse(at) + minutes * minute).toISOString().replace('Z', offset);
  if (text === at || givenInstant(text, 1) !== givenInstant(at, 1))
    throw new Vacuous(`${text} and ${at} have to be two texts for one instant`);
  bench.record('instants given with another offset', 1);
  return text;
}

async function asExpectedCursor(bench: Bench, rig: Rig, member: Member, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig });
  const expectedCursor = rewrite(scene.schedule.cursor!);
  const what = `${byMember[member]} that expects the cursor ${expectedCursor} of a schedule at ${scene.schedule.cursor}`;
  await mustTellOf(scene, member, { ...windowOf(scene), expectedCursor }, [], what);
}

async function asTakenSlot(bench: Bench, rig: Rig, member: Member, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig, taken: [0] });
  const window = windowOf(scene);
  const [first, ...others] = window.slots;
  const at = rewrite(first!.at);
  const what = `${byMember[member]} with the slot ${at}, which is taken as ${first!.at}`;
  await mustTellOf(scene, member, { ...window, slots: [{ ...first!, at }, ...others] }, [0], what);
}

async function asTwins(bench: Bench, rig: Rig, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig, slots: 2 });
  const window = windowOf(scene);
  const [first, second] = window.slots;
  const at = rewrite(first!.at);
  const what = `a window with the slots ${first!.at} and ${at}`;
  await mustTellOf(scene, 'bulk', { ...window, slots: [first!, { ...second!, at }] }, [1], what);
}

async function asNext(bench: Bench, rig: Rig, member: Member, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig });
  const window = windowOf(scene);
  const slots = window.slots.map((slot) => ({ ...slot, next: rewrite(slot.next!) }));
  await mustTellOf(scene, member, { ...window, slots }, [], `${byMember[member]} whose next is ${slots[0]!.next}`);
}

async function asStoredCursor(bench: Bench, rig: Rig, member: Member, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig });
  const cursor = rewrite(scene.schedule.cursor!);
  await putSchedules(rig, [{ ...scene.schedule, cursor }]);
  const what = `${byMember[member]} that expects the cursor ${scene.schedule.cursor} of a schedule that was put at ${cursor}`;
  await mustTellOf(scene, member, windowOf(scene), [], what);
}

async function asAdvanced(bench: Bench, rig: Rig, rewrite: Rewrite): Promise<void> {
  const scene = await setScene(bench, { rig });
  const { schedule, slots } = scene;
  const [expectedCursor, next] = [rewrite(schedule.cursor!), rewrite(slots[0]!.next!)];
  const what = `advance from ${expectedCursor} to ${next} of a schedule at ${schedule.cursor}`;
  const outcome = await advanceOutcome(rig, { ...expecting(schedule), expectedCursor, next });
  if (outcome !== 'advanced') throw new Violation(`${what} is told as ${outcome}, expected advanced`);
  await mustBeAt(scene, slots[0]!.next!, what);
}

/** Fails the guard unless these slots are told as taken and the others as created, and the cursor goes past them. */
async function mustTellOf(
  scene: Scene,
  member: Member,
  window: Window,
  taken: readonly number[],
  what: string,
): Promise<void> {
  const { bench, schedule } = scene;
  const slots = member === 'bulk' ? window.slots : window.slots.slice(0, 1);
  const { outcomes, cursor } = await materialized(scene, member, window);
  const expected = slots.map((_, slot) => (taken.includes(slot) ? 'already-exists' : 'created'));
  mustTell(slots, outcomes, expected, what);
  const { children } = await storedOf(scene);
  const right = new Set(slots.map(({ at }) => Date.parse(at))).size;
  if (children.length !== right) {
    throw new Violation(`${what}: ${count(children.length, 'child rows')} are stored for ${count(right, 'slots')}`);
  }
  // The single member leaves the schedule of a slot that is taken where it is.
  const isLeft = member === 'single' && taken.includes(0);
  const next = isLeft ? schedule.cursor! : slots.at(-1)!.next!;
  if (cursor === null || givenInstant(cursor, bench.declaration.timeResolution) !== instantOf(bench, next))
    throw new Violation(`${what}: the cursor is told as ${cursor}, expected ${instantText(instantOf(bench, next))}`);
  await mustBeAt(scene, next, what);
}

async function mustBeAt(scene: Scene, next: string, what: string): Promise<void> {
  const { cursor } = (await storedOf(scene)).schedule;
  const right = instantOf(scene.bench, next);
  if (cursor === right) return;
  const found = cursor === null ? 'null' : instantText(cursor);
  throw new Violation(`${what}: the cursor is stored as ${found}, expected ${instantText(right)}`);
}

function instantOf({ declaration }: Bench, text: string) {
  return givenInstant(text, declaration.timeResolution);
}
