import { type Guard, guard, Violation } from '../../kernel/guard.ts';
import { advanceOutcome } from '../calls.ts';
import type { SlotLoss } from '../port.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustTellAll,
  type Scene,
  setScene,
  slotsFor,
  windowOf,
} from './scene.ts';
import { mustWriteNothing } from './stored.ts';

/** How often a call is made again: what is harmless once may not be so twice. */
const times = 2;

export const repeatIsHarmless: Guard = guard({
  id: 'materialize-window/repeat-is-harmless',
  statement: 'The same call again loses by the fixed precedence and adds nothing.',
  proves: ['children that the first calls created', 'repeats'],
  async check(bench) {
    for (const member of members) {
      const size = member === 'bulk' ? 5 : 1;
      await bench.case(`${member}-moved-on`, async () => {
        await mustLoseAgain(await setScene(bench, { slots: size }), member, 'cursor-moved');
      });
      await bench.case(`${member}-completed`, async () => {
        await mustLoseAgain(await setScene(bench, { slots: size, ends: true }), member, 'parent-inactive');
      });
    }
    await bench.case('bulk-with-slots-taken', async () => {
      await mustLoseAgain(await setScene(bench, { taken: [1, 3] }), 'bulk', 'cursor-moved');
    });
    await bench.case('single-taken', async () => {
      await mustLoseAgain(await setScene(bench, { taken: [0] }), 'single', 'already-exists');
    });
    for (const [name, ends] of Object.entries({ 'moved-on': false, completed: true })) {
      await bench.case(`advance-${name}`, async () => {
        const scene = await setScene(bench, { slots: 1, taken: [0], ends });
        const { slots, ...expected } = windowOf(scene);
        const advance = { ...expected, next: slots[0]!.next };
        await advanceOutcome(scene.rig, advance);
        const right = ends ? 'parent-inactive' : 'cursor-moved';
        for (let time = 0; time < times; time++) {
          const what = 'an advance that is made again';
          const told = await mustWriteNothing(scene, what, () => advanceOutcome(scene.rig, advance));
          if (told !== right) throw new Violation(`${what}: told ${told}, expected ${right}`);
          bench.record('repeats', 1);
        }
      });
    }
  },
});

async function mustLoseAgain(scene: Scene, member: Member, loss: SlotLoss): Promise<void> {
  const { bench } = scene;
  const window = windowOf(scene);
  const slots = slotsFor(member, window);
  const { outcomes } = await materialized(scene, member, window);
  const created = outcomes.filter((outcome) => typeof outcome === 'object').length;
  if (created > 0) bench.record('children that the first calls created', created);
  for (let time = 0; time < times; time++) {
    const what = `${byMember[member]} that is asked for again`;
    const again = await mustWriteNothing(scene, what, () => materialized(scene, member, window), slots);
    mustTellAll(slots, again.outcomes, loss, what);
    bench.record('repeats', 1);
  }
}
