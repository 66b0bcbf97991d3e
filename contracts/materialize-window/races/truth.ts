import { failureText } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Rig, Violation } from '../../kernel/guard.ts';
import type { Settled } from '../../kernel/outcome.ts';
import { count, short } from '../../kernel/print.ts';
import { givenInstant, instantText } from '../instants.ts';
import type { ChildState } from '../model.ts';
import { earlierRuns, type Member, type Scene } from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';
import type { Slot, SlotOutcome, Window } from '../port.ts';
import { windowWrites as w } from '../writes.ts';
import { isRetryable, resultOf } from './meeting.ts';
import type { Kind } from './racers.ts';

/** One of several calls at once, and how it ended. */
export interface Racer {
  rig: Rig;
  member: Member;
  window: Window;
  settled: Settled<unknown>;
}

/** Fails the guard unless each slot is there once, and what each caller was told is true by what is stored in the end. */
export async function mustBeTrueOf(scene: Scene, kind: Kind, racers: readonly Racer[]): Promise<void> {
  const { bench, schedule } = scene;
  const { schedule: stored, children } = await storedOf(scene);
  const all = `${count(racers.length, 'calls')} at once whose windows overlap`;
  const bySlot = Map.groupBy(children, ({ slotAt }) => slotAt);
  for (const [slotAt, found] of bySlot) {
    if (found.length > 1)
      throw new Violation(
        `${all}: the slot ${instantText(slotAt)} has ${count(found.length, 'child rows')}, expected 1`,
      );
  }
  const cursorIsThere = stored.cursor === givenInstant(schedule.cursor!, bench.declaration.timeResolution);
  const winners: Racer[] = [];
  for (const [i, racer] of racers.entries()) {
    const what = `call ${i + 1} of ${all}`;
    const { slots } = racer.window;
    const childOf = ({ at }: Slot) => bySlot.get(givenInstant(at, bench.declaration.timeResolution))?.[0];
    if ('threw' in racer.settled) {
      mustHaveGivenWay(racer.settled, slots.map(childOf), slots, what);
      continue;
    }
    const { outcomes } = resultOf(racer.settled, what);
    if (outcomes.length !== slots.length)
      throw new Violation(`${what}: ${count(outcomes.length, 'outcomes')} for ${count(slots.length, 'slots')}`);
    const ids = bench.declaration.givesUp.ids === undefined;
    const lines = slots.map((slot, at): SlotLine => {
      const child = childOf(slot);
      const untrue = whatIsUntrue(outcomes[at]!, slot, child, ids, cursorIsThere);
      return {
        ...{ slot: at, mark: untrue === undefined ? 'ok' : 'wrong', sent: w.print(slot) },
        ...{ expected: untrue ?? 'what is told', stored: `${toldText(outcomes[at]!)}; ${childText(child, slot)}` },
      };
    });
    const wrong = lines.find(({ mark }) => mark !== 'ok');
    if (wrong) {
      const { slot, expected, stored: is } = wrong;
      throw new Violation(`${what}: slot ${slot} is ${is}: ${expected}`, { input: what, slots: lines });
    }
    const created = outcomes.filter((outcome) => typeof outcome === 'object').length;
    if (created > 0) winners.push(racer);
    if (created > 0) bench.record('slots created', created);
    if (created < slots.length) bench.record('slots lost', slots.length - created);
  }
  mustFitTheSchedule(scene, kind, winners, stored, children.length, all);
}

/** A call that failed has to be worth another try, and to have written nothing. */
function mustHaveGivenWay(
  settled: Settled<unknown> & { threw: unknown },
  found: readonly (ChildState | undefined)[],
  slots: readonly Slot[],
  what: string,
): void {
  const { threw } = settled as Extract<Settled<unknown>, { threw: unknown }>;
  if (!isRetryable(settled))
    throw new Violation(`${what} failed without calling it worth another try (retryable: true): ${failureText(threw)}`);
  const kept = slots.filter((slot, i) => found[i]?.token === w.token(slot)).length;
  if (kept > 0)
    throw new Violation(`${what} failed (${failureText(threw)}), yet ${count(kept, 'child rows')} of it are stored`);
}

/** Why what is told of a slot is not true, in words; undefined where it is. */
function whatIsUntrue(
  outcome: SlotOutcome,
  slot: Slot,
  child: ChildState | undefined,
  ids: boolean,
  cursorIsThere: boolean,
): string | undefined {
  const isOwn = child?.token === w.token(slot);
  if (typeof outcome === 'object') {
    if (!isOwn) return 'the child has to be that of this caller';
    return ids && String(outcome.created) !== child?.id ? `its child has the id ${child?.id}` : undefined;
  }
  if (isOwn) return 'it is created, by this caller';
  switch (outcome) {
    case 'already-exists':
      return child ? undefined : 'nobody has created it';
    case 'cursor-moved':
      return cursorIsThere ? 'the cursor is where the caller expected it' : undefined;
    default:
      return 'the schedule is active, and its version is what the caller expected';
  }
}

function mustFitTheSchedule(
  { bench, schedule }: Scene,
  kind: Kind,
  winners: readonly Racer[],
  stored: { cursor: bigint | null; runs: number | null },
  children: number,
  what: string,
): void {
  if (kind === 'moving-cursor' && winners.length > 1) {
    throw new Violation(
      `${what}: ${winners.length} of them have created slots, although all expected the cursor ${schedule.cursor}: ` +
        'the first moves it, and the others have to lose',
    );
  }
  const next = winners.length > 0 ? winners[0]!.window.slots.at(-1)!.next! : schedule.cursor!;
  const cursor = givenInstant(next, bench.declaration.timeResolution);
  if (stored.cursor !== cursor) {
    const is = stored.cursor === null ? 'null' : instantText(stored.cursor);
    throw new Violation(`${what}: the cursor is ${is}, expected ${instantText(cursor)}`);
  }
  const runs = earlierRuns + children;
  if (stored.runs !== runs) {
    throw new Violation(
      `${what}: the run count is ${stored.runs}, expected ${runs} (${earlierRuns} before, and ${count(children, 'slots')} created)`,
    );
  }
}

function toldText(outcome: SlotOutcome): string {
  return `told ${typeof outcome === 'object' ? `created (${short(outcome.created)})` : outcome}`;
}

function childText(child: ChildState | undefined, slot: Slot): string {
  if (!child) return 'no child is stored';
  return child.token === w.token(slot)
    ? `its own child ${child.id} is stored`
    : `the child ${child.id} of another caller is stored`;
}
