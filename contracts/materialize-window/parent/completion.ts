import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { advanceOutcome } from '../calls.ts';
import { stampText } from '../differences.ts';
import { givenInstant } from '../instants.ts';
import { auditLevels, type Schedule, type Slot } from '../port.ts';
import { slots } from '../slots.ts';
import { keepsAudit, readState } from '../state.ts';
import {
  byMember,
  earlierRuns,
  kindOf,
  type Member,
  materialized,
  members,
  mustTell,
  mustTellAll,
  type Scene,
  setScene,
  windowOf,
} from './scene.ts';
import { mustWriteNothing, storedOf } from './stored.ts';

/** Levels at which the end of a schedule is in the audit; one that is unknown behaves as full. */
const audited = ['full', 'minimal', 'unheard-of'];

/** A schedule that is to lose its error when it ends. */
const failing: Partial<Schedule> = { error: 'the last run failed' };

export const lastSlotCompletesTheSchedule: Guard = guard({
  id: 'materialize-window/last-slot-completes-the-schedule',
  statement:
    'With its last slot, in the same commit, a schedule is completed: no cursor, no error, the last run stamped, one audit row at the levels that ask for it, and the same state at every level.',
  proves: ['schedules completed', 'levels'],
  async check(bench) {
    for (const member of members) {
      const size = member === 'bulk' ? 5 : 1;
      for (const auditLevel of [...auditLevels, 'unheard-of']) {
        await bench.case(`${member}-${auditLevel}`, async () => {
          const scene = await setScene(bench, { slots: size, ends: true, schedule: failing });
          await materialized(scene, member, { ...windowOf(scene), auditLevel });
          const what = `${byMember[member]} up to the end of the grid, at the audit level ${auditLevel}`;
          await mustBeCompleted(scene, what);
          await mustBeAudited(scene, auditLevel, what);
          bench.record('schedules completed', 1);
          bench.record('levels', 1);
        });
      }
      await inOneCommit(bench, member, size);
    }
  },
});

/** Nobody sees the last child of a schedule that is not completed. */
async function inOneCommit(bench: Bench, member: Member, size: number): Promise<void> {
  const { atomic, bulk } = bench.declaration.givesUp;
  // What is given up is that many slots are one commit, not that a slot is.
  if (member === 'bulk' && (atomic ?? bulk) !== undefined) return;
  const name = `${member}-in-one-commit`;
  const lacking = bench.facts.lacks.trace;
  if (lacking !== undefined) {
    bench.leaveOut(name, lacking);
    return;
  }
  await bench.case(name, async () => {
    const first = await setScene(bench);
    // What is made at the first use is not part of the call.
    await materialized(first, member, windowOf(first));
    const scene = await setScene(bench, { rig: first.rig, slots: size, ends: true });
    const watch = await scene.rig.lease.watch();
    await materialized(scene, member, windowOf(scene));
    const { commits } = await watch.stop();
    const what = `${byMember[member]} up to the end of the grid`;
    await mustBeCompleted(scene, what);
    bench.record('schedules completed', 1);
    if (commits !== 1)
      throw new Violation(`${what} was written in ${count(commits, 'commits')}, expected 1 that completes it as well`);
  });
}

export const takenLastSlotStillCompletes: Guard = guard({
  id: 'materialize-window/taken-last-slot-still-completes',
  statement: 'A last slot that is taken completes the schedule as well, and spends no run.',
  proves: ['last slots taken', 'schedules completed'],
  async check(bench) {
    for (const [name, taken] of Object.entries({ 'bulk-last': [4], 'bulk-all': [0, 1, 2, 3, 4] })) {
      await bench.case(`${name}-taken`, async () => {
        const scene = await setScene(bench, { taken, ends: true, schedule: failing });
        await materialized(scene, 'bulk', windowOf(scene));
        await mustBeCompletedForFree(
          scene,
          5 - taken.length,
          `a window whose ${taken.length === 1 ? 'last slot is' : 'slots are all'} taken`,
        );
      });
    }
    await bench.case('single-and-advance', async () => {
      const scene = await setScene(bench, { slots: 1, taken: [0], ends: true, schedule: failing });
      await materialized(scene, 'single', windowOf(scene));
      const { slots: _, ...expected } = windowOf(scene);
      const told = await advanceOutcome(scene.rig, { ...expected, next: null });
      if (told !== 'advanced')
        throw new Violation(`advance past a last slot that is taken: told ${told}, expected advanced`);
      await mustBeCompletedForFree(scene, 0, 'an advance past the last slot, which is taken');
    });
  },
});

export const slotsAfterCompletionAreInactive: Guard = guard({
  id: 'materialize-window/slots-after-completion-are-inactive',
  statement: 'Slots behind the end of the grid are told parent-inactive, and are not written.',
  proves: ['slots behind the end', 'children before the end'],
  async check(bench) {
    for (const end of [0, 2, 3]) {
      for (const [name, taken] of Object.entries({ 'all-free': [], 'end-taken': [end], 'last-taken': [4] })) {
        await bench.case(`bulk-end-at-${end}-${name}`, async () => {
          const grid = slots(bench, 5).map((slot, i) => (i === end ? { ...slot, next: null } : slot));
          const scene = await setScene(bench, { slots: grid, taken });
          await mustEndAt(scene, end, taken);
        });
      }
    }
    await bench.case('single', async () => {
      const [last, behind] = slots(bench, 2) as [Slot, Slot];
      const scene = await setScene(bench, { slots: [{ ...last, next: null }] });
      await materialized(scene, 'single', windowOf(scene));
      bench.record('children before the end', (await storedOf(scene)).children.length);
      for (const expectedCursor of [null, behind.at]) {
        const window = { ...windowOf(scene), slots: [behind], expectedCursor };
        const what = 'a single slot behind the end of the grid';
        const { outcomes } = await mustWriteNothing(scene, what, () => materialized(scene, 'single', window));
        mustTellAll([behind], outcomes, 'parent-inactive', what);
        bench.record('slots behind the end', 1);
      }
    });
  },
});

async function mustEndAt(scene: Scene, end: number, taken: readonly number[]): Promise<void> {
  const { bench, slots } = scene;
  const { outcomes } = await materialized(scene, 'bulk', windowOf(scene));
  const what = `a window whose slot ${end} is the end of the grid`;
  // What is told of the slots before the end is for other guards.
  const expected = slots.map((_, i) => (i > end ? 'parent-inactive' : kindOf(outcomes[i])));
  mustTell(slots, outcomes, expected, what);
  const instants = new Set((await storedOf(scene)).children.map(({ slotAt }) => slotAt));
  const isStored = ({ at }: Slot) => instants.has(givenInstant(at, bench.declaration.timeResolution));
  const written = slots.findIndex((slot, i) => i > end && !taken.includes(i) && isStored(slot));
  if (written >= 0) throw new Violation(`${what}: the child of slot ${written}, behind it, is stored, expected none`);
  bench.record('slots behind the end', slots.length - 1 - end);
  bench.record('children before the end', slots.slice(0, end + 1).filter(isStored).length);
}

/** Fails the guard unless the schedule has come to its end as it has to. */
async function mustBeCompleted(scene: Scene, what: string): Promise<void> {
  const { status, cursor, error, lastRunAt } = (await storedOf(scene)).schedule;
  const wrong = [
    ...(status === 'completed' ? [] : [`status is ${short(status)}, expected "completed"`]),
    ...(cursor === null ? [] : [`cursor is ${stampText(cursor)}, expected null`]),
    ...(error === null ? [] : [`error is ${short(error)}, expected null`]),
    ...(lastRunAt[0] ? [] : ['lastRunAt is null, expected the stamp of the call']),
  ];
  if (wrong.length > 0) throw new Violation(`${what}: the schedule's ${wrong.join('; its ')}`);
}

async function mustBeCompletedForFree(scene: Scene, created: number, what: string): Promise<void> {
  await mustBeCompleted(scene, what);
  const { runs } = (await storedOf(scene)).schedule;
  const expected = earlierRuns + created;
  if (runs !== expected)
    throw new Violation(
      `${what}: the schedule's runs are ${runs}, expected ${expected} (${earlierRuns} before, ${created} created)`,
    );
  scene.bench.record('last slots taken', 1);
  scene.bench.record('schedules completed', 1);
}

async function mustBeAudited({ bench, rig, schedule }: Scene, level: string, what: string): Promise<void> {
  if (!keepsAudit(bench)) return;
  const { audits } = await readState(bench, rig);
  const ends = audits!.filter((row) => row.schedule === schedule.id && row.event === 'completed');
  const expected = audited.includes(level) ? 1 : 0;
  if (ends.length !== expected)
    throw new Violation(
      `${what}: the audit has ${count(ends.length, 'rows')} that say completed, expected ${expected}`,
    );
  const named = ends.find(({ slotAt }) => slotAt !== null);
  if (named)
    throw new Violation(`${what}: slotAt of the completed audit row is ${stampText(named.slotAt)}, expected null`);
}
