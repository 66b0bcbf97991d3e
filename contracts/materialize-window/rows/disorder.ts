import { failureText, saysUnknown } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { materializeWindow, putSchedules, windowResult } from '../calls.ts';
import { givenInstant, instantText } from '../instants.ts';
import { mustBeServed, mustTell, type Scene, setScene, windowOf } from '../parent/scene.ts';
import { mustWriteNothing, storedOf } from '../parent/stored.ts';
import type { Slot } from '../port.ts';
import { slots as someSlots } from '../slots.ts';

export const disorderedWindowIsDeclared: Guard = guard({
  id: 'materialize-window/disordered-window-is-declared',
  statement:
    "Slots that do not ascend, or begin before the cursor, are refused before any write, or folded in the caller's order, as declared.",
  proves: ['disordered calls'],
  async check(bench) {
    const orders: Record<string, (slots: readonly Slot[]) => Slot[]> = {
      descending: (slots) => slots.toReversed(),
      'two-exchanged': (slots) => [...slots.slice(0, 2), slots[3]!, slots[2]!, ...slots.slice(4)],
      'first-one-last': ([first, ...slots]) => [...slots, first!],
    };
    const { disorder, givesUp } = bench.declaration;
    if (disorder === 'refused' && givesUp.bulk !== undefined)
      throw new NotApplicable('backend', 'it is served slot by slot, and so sees no order that it could refuse');
    for (const [name, order] of Object.entries(orders)) {
      await bench.case(name, async () => {
        const scene = await setScene(bench, { slots: 7 });
        await asDeclared({ ...scene, slots: order(scene.slots) }, `a window whose slots do not ascend (${name})`);
      });
    }
    await bench.case('before-the-cursor', async () =>
      asDeclared(await beforeTheCursor(bench, 3), 'a window that begins before the cursor'),
    );
  },
});

/** Slots before the cursor of their schedule, all of them free. */
async function beforeTheCursor(bench: Bench, count: number): Promise<Scene> {
  const all = someSlots(bench, count + 3);
  return setScene(bench, { slots: all.slice(0, count), schedule: { cursor: all.at(-1)!.at } });
}

async function asDeclared(scene: Scene, what: string): Promise<void> {
  const { disorder } = scene.bench.declaration;
  scene.bench.record('disordered calls', 1);
  const declared = `${what} (disorder is declared to be ${disorder})`;
  if (disorder === 'folded') return mustFold(scene, declared);
  await mustRefuse(scene, declared);
  const slots = scene.slots.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const schedule = { ...scene.schedule, cursor: slots[0]!.at };
  await putSchedules(scene.rig, [schedule]);
  await mustBeServed({ ...scene, schedule, slots }, 'bulk');
}

/** Fails the guard unless the slots are created one after the other, as the caller gave them. */
async function mustFold(scene: Scene, what: string): Promise<void> {
  const { bench, rig, slots } = scene;
  const { outcomes, cursor } = await windowResult(bench, rig, windowOf(scene));
  mustTell(slots, outcomes, Array(slots.length).fill('created'), what);
  const instantOf = (text: string) => givenInstant(text, bench.declaration.timeResolution);
  const { schedule, children } = await storedOf(scene);
  for (const [i, { at }] of slots.entries()) {
    const child = children.find(({ slotAt }) => slotAt === instantOf(at));
    if (!child) throw new Violation(`${what}: slot ${i} (${at}) is told as created, and has no child`);
    const told = String((outcomes[i] as { created: unknown }).created);
    if (bench.declaration.givesUp.ids === undefined && told !== child.id)
      throw new Violation(`${what}: outcome ${i} names ${told}; the child of its slot, ${at}, is ${child.id}`);
  }
  const next = instantOf(slots.at(-1)!.next!);
  if (schedule.cursor === next && cursor !== null && instantOf(cursor) === next) return;
  const is = schedule.cursor === null ? 'null' : instantText(schedule.cursor);
  throw new Violation(
    `${what}: the cursor is stored as ${is} and told as ${cursor}; expected ${instantText(next)}, the next of the slot that the caller gave last`,
  );
}

/** Fails the guard unless the call throws, and has written nothing. */
async function mustRefuse(scene: Scene, what: string): Promise<void> {
  const { bench, rig, slots } = scene;
  const call = () => materializeWindow(bench, rig, windowOf(scene));
  const settled = await mustWriteNothing(scene, what, call, slots);
  if (!('threw' in settled)) throw new Violation(`${what} was not refused: it returned ${short(settled.value)}`);
  if (settled.threw.message.trim() === '' || saysUnknown(settled.threw))
    throw new Violation(`${what}: the error does not say why it was refused: ${failureText(settled.threw)}`);
}
