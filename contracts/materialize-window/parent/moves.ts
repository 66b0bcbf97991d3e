import { type Guard, guard, Violation } from '../../kernel/guard.ts';
import { advanceOutcome } from '../calls.ts';
import { givenInstant } from '../instants.ts';
import type { State } from '../model.ts';
import type { Advance, AdvanceOutcome } from '../port.ts';
import { gridInstant } from '../slots.ts';
import { inactive } from './inactive.ts';
import { materialized, mustTellAll, type Scene, setScene, windowOf } from './scene.ts';
import { mustWriteNothing, mustWriteOnly } from './stored.ts';

export const advanceMovesOnlyTheCursor: Guard = guard({
  id: 'materialize-window/advance-moves-only-the-cursor',
  statement:
    'To advance to a next slot moves the cursor and nothing else: no child, no run, no audit row; with a wrong version or cursor, or for an inactive schedule, it writes nothing.',
  proves: ['cursors moved', 'calls that lost'],
  async check(bench) {
    for (const [name, taken] of Object.entries({ free: [], taken: [0] })) {
      await bench.case(`past-a-${name}-slot`, async () => {
        // Every other value of the schedule is one that a write too much would change.
        await mustMoveOnlyTheCursor(await setScene(bench, { taken, schedule: { error: 'the last run failed' } }));
        bench.record('cursors moved', 1);
      });
    }
    const wrong: Record<string, (advance: Advance) => Partial<Advance>> = {
      'version-before': ({ expectedVersion }) => ({ expectedVersion: expectedVersion - 1 }),
      'version-after': ({ expectedVersion }) => ({ expectedVersion: expectedVersion + 1 }),
      'cursor-before': () => ({ expectedCursor: gridInstant(0) }),
      'cursor-after': ({ next }) => ({ expectedCursor: next }),
      'no-cursor': () => ({ expectedCursor: null }),
    };
    for (const [name, change] of Object.entries(wrong)) {
      await bench.case(`wrong-${name}`, async () => {
        const scene = await setScene(bench);
        const advance = advanceOf(scene);
        const told = change(advance).expectedVersion === undefined ? 'cursor-moved' : 'version-mismatch';
        await mustLose(scene, { ...advance, ...change(advance) }, told, `an advance that expects a wrong ${name}`);
      });
    }
    for (const [name, change] of Object.entries(inactive)) {
      await bench.case(name, async () => {
        const scene = await setScene(bench, { schedule: change });
        await mustLose(scene, advanceOf(scene), 'parent-inactive', `an advance of a schedule that is ${name}`);
      });
    }
    await bench.case('missing', async () => {
      const scene = await setScene(bench);
      const advance = { ...advanceOf(scene), schedule: `${scene.schedule.id}-missing` };
      await mustLose(scene, advance, 'parent-inactive', 'an advance of a schedule that is not there');
    });
  },
});

export const takenSlotLeavesTheSingleUnmoved: Guard = guard({
  id: 'materialize-window/taken-slot-leaves-the-single-unmoved',
  statement: 'The single member changes nothing for a slot that is taken; past it the schedule is to be advanced.',
  proves: ['slots taken'],
  async check(bench) {
    for (const [name, ends] of Object.entries({ 'in-between': false, 'at-the-end': true })) {
      await bench.case(name, async () => {
        const schedule = { error: 'the last run failed' };
        const scene = await setScene(bench, { slots: 1, taken: [0], ends, schedule });
        const window = windowOf(scene);
        const what = `a single slot that is taken, ${ends ? 'at the end of the grid' : 'with others after it'}`;
        const { outcomes } = await mustWriteNothing(scene, what, () => materialized(scene, 'single', window));
        mustTellAll(window.slots, outcomes, 'already-exists', what);
        bench.record('slots taken', 1);
      });
    }
  },
});

/** The advance past the first slot of a scene. */
function advanceOf(scene: Scene): Advance {
  const { slots, ...expected } = windowOf(scene);
  return { ...expected, next: slots[0]!.next };
}

async function mustMoveOnlyTheCursor(scene: Scene): Promise<void> {
  const { bench, rig, schedule } = scene;
  const advance = advanceOf(scene);
  const moved = (state: State) => {
    const parent = state.schedules.find(({ id }) => id === schedule.id)!;
    parent.cursor = givenInstant(advance.next!, bench.declaration.timeResolution);
  };
  const told = await mustWriteOnly(scene, 'an advance to a next slot', () => advanceOutcome(rig, advance), moved);
  mustBe(told, 'advanced', 'an advance to a next slot');
}

async function mustLose(scene: Scene, advance: Advance, loss: AdvanceOutcome, what: string): Promise<void> {
  mustBe(await mustWriteNothing(scene, what, () => advanceOutcome(scene.rig, advance)), loss, what);
  scene.bench.record('calls that lost', 1);
}

function mustBe(told: AdvanceOutcome, expected: AdvanceOutcome, what: string): void {
  if (told !== expected) throw new Violation(`${what}: told ${told}, expected ${expected}`);
}
