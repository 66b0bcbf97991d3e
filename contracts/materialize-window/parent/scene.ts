import { premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { putSchedules, slotResult, windowResult } from '../calls.ts';
import { sentText } from '../differences.ts';
import { newSchedule } from '../pool.ts';
import type { Schedule, Slot, SlotLoss, SlotOutcome, Window, WindowResult } from '../port.ts';
import { slots } from '../slots.ts';
import { expecting } from '../writes.ts';

/** The two ways to materialize: many slots in one call, and one. */
export const members = ['bulk', 'single'] as const;
export type Member = (typeof members)[number];

/** How messages call what a member is asked for. */
export const byMember: Record<Member, string> = { bulk: 'a window', single: 'a single slot' };

/** A schedule with the slots that are before it, on a subject that serves it. */
export interface Scene {
  readonly bench: Bench;
  readonly rig: Rig;
  readonly schedule: Schedule;
  readonly slots: readonly Slot[];
}

interface SceneOptions {
  /** The slots, or how many of them; five where nothing is said. */
  slots?: readonly Slot[] | number;
  /** Slots whose children are there already. */
  taken?: readonly number[];
  /** The last slot is the end of the grid. */
  ends?: boolean;
  /** What is unlike an active schedule at its first slot, with some runs behind it. */
  schedule?: Partial<Schedule>;
  /** The subject; a fresh one where none is given. */
  rig?: Rig;
}

/** Runs that the schedule of a scene has behind it. */
export const earlierRuns = 40;

/** Puts a schedule that nothing else in this run uses, and the children of the slots that are to be taken. */
export async function setScene(bench: Bench, options: SceneOptions = {}): Promise<Scene> {
  const { slots: wanted = 5, taken = [], ends = false } = options;
  const rig = options.rig ?? (await bench.open());
  const grid = typeof wanted === 'number' ? slots(bench, wanted) : [...wanted];
  if (ends) grid.push({ ...grid.pop()!, next: null });
  const active = { ...newSchedule(`${bench.token()}-schedule`), cursor: grid[0]!.at, runs: earlierRuns };
  for (const slot of taken) await take(rig, active, grid[slot]!);
  const schedule = { ...active, ...options.schedule };
  await putSchedules(rig, [schedule]);
  return { bench, rig, schedule, slots: grid };
}

/** Creates the child of a slot by the single member, as another caller would have. */
async function take(rig: Rig, schedule: Schedule, slot: Slot): Promise<void> {
  await premise('creating a child beforehand', async () => {
    // Whatever the slot before has done to the schedule.
    await putSchedules(rig, [schedule]);
    const next = slot.next ?? schedule.cursor;
    const { outcome } = await slotResult(rig, { ...expecting(schedule), slot: { ...slot, next } });
    if (typeof outcome !== 'object') throw new Violation(`the slot ${slot.at} is told as ${outcome}`);
  });
}

/** The window of all slots, as a caller asks for it who knows the schedule. */
export function windowOf({ schedule, slots }: Scene): Window {
  return { ...expecting(schedule), slots };
}

/** Materializes all slots of the window in one call, or its first alone. */
export async function materialized(scene: Scene, member: Member, window: Window): Promise<WindowResult> {
  const { bench, rig } = scene;
  if (member === 'bulk') return windowResult(bench, rig, window);
  const { slots, ...expected } = window;
  const { outcome, ...standing } = await slotResult(rig, { ...expected, slot: slots[0]! });
  return { outcomes: [outcome], ...standing };
}

/** The slots of a window that a call of this member is about. */
export function slotsFor(member: Member, { slots }: Window): readonly Slot[] {
  return member === 'bulk' ? slots : slots.slice(0, 1);
}

/** Fails the guard unless the outcomes are these; `created` stands for any child. */
export function mustTell(
  slots: readonly Slot[],
  outcomes: readonly SlotOutcome[],
  expected: readonly string[],
  what: string,
): void {
  const lines = slots.map((slot, i): SlotLine => {
    const told = kindOf(outcomes[i]);
    const mark = told === expected[i] ? 'ok' : 'wrong';
    return { slot: i, mark, sent: sentText(slot), expected: expected[i]!, stored: `told ${told}` };
  });
  const wrong = lines.filter(({ mark }) => mark === 'wrong');
  const counterexample = { input: `${count(slots.length, 'slots')}, ${what}`, slots: lines };
  if (outcomes.length !== slots.length) {
    const counts = `${count(outcomes.length, 'outcomes')} for ${count(slots.length, 'slots')}`;
    throw new Violation(`${what}: ${counts}`, counterexample);
  }
  const [first] = wrong;
  if (!first) return;
  const which = `slot ${first.slot}${wrong.length > 1 ? `, the first of ${wrong.length} that are wrong,` : ''}`;
  throw new Violation(`${what}: ${which} is ${first.stored}, expected ${first.expected}`, counterexample);
}

/** Fails the guard unless every slot lost for this reason. */
export function mustTellAll(
  slots: readonly Slot[],
  outcomes: readonly SlotOutcome[],
  loss: SlotLoss,
  what: string,
): void {
  mustTell(slots, outcomes, Array(slots.length).fill(loss), what);
}

/** An outcome in one word. */
export function kindOf(outcome: SlotOutcome | undefined): string {
  return typeof outcome === 'object' ? 'created' : String(outcome);
}

/** Fails the guard as vacuous unless a caller who knows the schedule gets each of the slots: nothing else was wrong. */
export async function mustBeServed(scene: Scene, member: Member): Promise<void> {
  const window = windowOf(scene);
  await premise('the same call by a caller who knows the schedule', async () => {
    const asked = slotsFor(member, window);
    const { outcomes } = await materialized(scene, member, window);
    mustTell(asked, outcomes, Array(asked.length).fill('created'), 'it');
  });
}
