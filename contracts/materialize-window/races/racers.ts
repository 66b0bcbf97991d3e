import { premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { linedUp } from '../../kernel/lined-up.ts';
import { overlap } from '../../writing/concurrent-failure.ts';
import { windowResult } from '../calls.ts';
import { type Member, members, mustTell, type Scene, setScene, windowOf } from '../parent/scene.ts';
import type { Slot, Window } from '../port.ts';
import { slots as someSlots } from '../slots.ts';
import { meetsHolder } from './holder.ts';
import { asked } from './meeting.ts';
import { mustBeTrueOf, type Racer } from './truth.ts';

/** Races of each kind, with a schedule of its own each time. */
const rounds = 3;
/** Calls that each of the two hosts makes at once; the last of them by the single member. */
const callsOfHost = 3;
/** Slots of a window; each begins one later than that before it. */
const size = 5;

export const racersCreateEachSlotOnce: Guard = guard({
  id: 'materialize-window/racers-create-each-slot-once',
  statement:
    'Of callers whose windows overlap each slot is created once, and one of them is told so; what the others are told is true, or they fail by an error that is worth another try and have written nothing. Who meets a slot that is held waits for its end.',
  needs: ['concurrency', 'twoHosts', 'lock', 'trace'],
  needsThread: true,
  proves: ['races that overlapped', 'slots created', 'slots lost'],
  async check(bench) {
    for (const kind of ['moving-cursor', 'standing-cursor'] as const) {
      for (const order of bench.declaration.disorder === 'folded' ? (['same', 'opposite'] as const) : ['same' as const])
        await bench.case(`${kind}-${order}-order`, () => races(bench, kind, order));
    }
    const { addChild } = bench.statements;
    for (const member of members) {
      for (const end of ['rollback', 'commit'] as const) {
        const name = `${member}-holder-${end === 'rollback' ? 'rolls-back' : 'commits'}`;
        if (addChild === undefined) bench.leaveOut(name, 'the backend gives no statement addChild, which holds a slot');
        else await bench.case(name, () => meetsHolder(bench, addChild, member, end));
      }
    }
  },
});

/**
 * What becomes of the cursor: with the first window that is written it moves on, so that the others lose by it; or each
 * slot leaves it where it is, so that they meet at the slots themselves.
 */
export type Kind = 'moving-cursor' | 'standing-cursor';

async function races(bench: Bench, kind: Kind, order: 'same' | 'opposite'): Promise<void> {
  const left = await bench.open();
  const right = await bench.open({ lease: left.lease, anotherHost: true });
  if (kind === 'standing-cursor' && !(await servesStandingCursor(bench, left))) return;
  for (let round = 1; round <= rounds; round++) {
    const scene = await setScene(bench, { rig: left, slots: size + 2 * callsOfHost });
    const calls = [left, right].flatMap((rig, host) =>
      Array.from({ length: callsOfHost }, (_, i) => ({ rig, ...callOf(scene, kind, host + 2 * i, order) })),
    );
    const watch = await left.lease.watch();
    const settled = await linedUp({ facts: bench.facts, lease: left.lease, sessions: 2 }, () =>
      Promise.all(calls.map(({ rig, member, window }) => asked(bench, rig, member, window))),
    );
    if (overlap((await watch.stop()).statements)) bench.record('races that overlapped', 1);
    const racers = calls.map((call, i): Racer => ({ ...call, settled: settled[i]! }));
    await mustBeTrueOf(scene, kind, racers);
  }
}

/** The n-th caller's window: other slots than those of the others, but for an overlap, with children of his own. */
function callOf(scene: Scene, kind: Kind, n: number, order: 'same' | 'opposite'): { member: Member; window: Window } {
  const { bench, schedule, slots } = scene;
  const member = n >= 2 * (callsOfHost - 1) ? 'single' : 'bulk';
  const own = someSlots(bench, member === 'single' ? 1 : size);
  const window = own.map(({ child }, i): Slot => {
    const { at, next } = slots[n + i]!;
    return { at, next: kind === 'moving-cursor' ? next : schedule.cursor, child };
  });
  return {
    member,
    window: { ...windowOf(scene), slots: order === 'opposite' && n % 2 === 1 ? window.toReversed() : window },
  };
}

/** Whether it serves slots that leave the cursor where it is, as nobody has to ask. */
async function servesStandingCursor(bench: Bench, rig: Rig): Promise<boolean> {
  const scene = await setScene(bench, { rig });
  const slots = scene.slots.map((slot) => ({ ...slot, next: scene.schedule.cursor }));
  try {
    const { outcomes } = await windowResult(bench, rig, { ...windowOf(scene), slots });
    await premise('it', () => mustTell(slots, outcomes, Array(slots.length).fill('created'), 'it'));
    return true;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    bench.record('slots that leave the cursor where it is', `refused: ${error.message}`);
    return false;
  }
}
