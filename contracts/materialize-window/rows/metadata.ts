import { mustAgree, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count, sameJson } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { Difference, Shape, StoredItem } from '../../kernel/writes.ts';
import { slotResult } from '../calls.ts';
import { setScene } from '../parent/scene.ts';
import { slotDifferences } from '../rows.ts';
import { type ChildOption, offeredOptions, slots as someSlots } from '../slots.ts';
import { storedAs } from '../state.ts';
import { expecting, windowWrites as w } from '../writes.ts';
import { type Path, paths } from './paths.ts';

/** Slots that are written one by one. */
const few = 11;

export const metadataPerSlot: Guard = guard({
  id: 'materialize-window/metadata-per-slot',
  statement: 'Each child keeps its own payload, due time, expiration, route and priority.',
  proves: ['children compared', 'children without some option'],
  async check(bench) {
    for (const path of paths(bench)) {
      for (const shape of ['full', 'mixed'] as const)
        await bench.case(`${path.name}-${shape}`, () => eachKeepsItsOwn(bench, path, shape));
    }
  },
});

async function eachKeepsItsOwn(bench: Bench, path: Path, shape: Shape): Promise<void> {
  const wanted = someSlots(bench, path.name === 'bulk' ? severalChunks(bench) : few, shape);
  const { rig, schedule, slots } = await setScene(bench, { slots: wanted });
  const plain = await premise('a single slot without any option', () => bareChild(bench, rig));
  const { outcomes } = await path.write(rig, { ...expecting(schedule), slots });
  const created = outcomes.filter((outcome) => typeof outcome === 'object').length;
  if (created !== slots.length)
    throw new Violation(`of ${count(slots.length, 'free slots')} only ${created} are told as created`);
  // Not by the nonce of its body, which may be that of another slot.
  const children = await childrenBySlot(bench, rig, schedule.id);
  const rows = slots.map(({ at }, slot) => {
    const found = children.get(Date.parse(at)) ?? [];
    if (found.length !== 1) throw new Violation(`slot ${slot} (${at}) has ${count(found.length, 'child rows')}, not 1`);
    return found[0]!;
  });
  const offered = offeredOptions(bench);
  const differences = slots.map((slot, i) => [
    ...slotDifferences(bench, slot, rows[i]!),
    ...offered.filter((option) => slot.child[option] === undefined).flatMap((o) => asWithout(o, rows[i]!, plain)),
  ]);
  mustAgree(w, slots, differences, `${count(slots.length, 'slots')} with options of their own`, 'stored as sent');
  bench.record('children compared', slots.length);
  const without = slots.filter(({ child }) => offered.some((option) => child[option] === undefined)).length;
  // Where no option is offered, every child is without it.
  if (shape === 'mixed') bench.record('children without some option', offered.length === 0 ? slots.length : without);
}

/** The stored child of a slot that sets no option. */
async function bareChild(bench: Bench, rig: Rig): Promise<StoredItem> {
  const { schedule, slots } = await setScene(bench, { rig, slots: someSlots(bench, 1, 'bare') });
  await slotResult(rig, { ...expecting(schedule), slot: slots[0]! });
  const [child] = [...(await childrenBySlot(bench, rig, schedule.id)).values()].flat();
  if (!child) throw new Violation('no child of its schedule is stored');
  return child;
}

/** How a child without an option differs from one that was written alone, without any. */
function asWithout(option: ChildOption, { fields }: StoredItem, plain: StoredItem): Difference[] {
  const field = storedAs[option];
  const after = (row: StoredItem['fields']) =>
    option === 'delay' ? Number(row[field]) - Number(row.slotAt) : row[field];
  if (sameJson(after(fields), after(plain.fields))) return [];
  const expected = option === 'delay' ? Number(fields.slotAt) + Number(after(plain.fields)) : plain.fields[field];
  return [{ field: `${option}, which is not set: ${field}`, expected, found: fields[field] }];
}

/** The stored children of a schedule by the epoch milliseconds of their slots. */
export async function childrenBySlot(bench: Bench, rig: Rig, schedule: string): Promise<Map<unknown, StoredItem[]>> {
  const rows = (await w.stored(bench, rig)).filter(({ fields }) => fields.schedule === schedule);
  return Map.groupBy(rows, ({ fields }) => fields.slotAt);
}
