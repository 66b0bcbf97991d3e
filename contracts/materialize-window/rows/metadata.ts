import { mustAgree, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count, sameJson, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { Difference, Shape, StoredItem } from '../../kernel/writes.ts';
import { materialize, materializeWindow, slotResult } from '../calls.ts';
import { mustHaveState } from '../differences.ts';
import { setScene } from '../parent/scene.ts';
import type { Child } from '../port.ts';
import { slotDifferences } from '../rows.ts';
import { type ChildOption, offeredOptions, slots as someSlots } from '../slots.ts';
import { readState, storedAs } from '../state.ts';
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
      for (const [name, over] of Object.entries(unusual(bench)))
        await bench.case(`${path.name}-${name}`, () => isKeptOrRefused(bench, path, over));
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

/** Values at an edge, of the body and of the options that are offered. */
function unusual(bench: Bench): Record<string, Partial<Child>> {
  const { declaration } = bench;
  const values: Record<string, Partial<Child>> = {
    'expires-at-once': { expiration: 0 },
    'due-at-once': { delay: 0 },
    'odd-delay': { delay: 1_501 },
    'negative-priority': { priority: -5 },
    'priority-zero': { priority: 0 },
    'route-in-capitals': { route: 'Route-ÄB' },
    'route-with-blanks': { route: '  a route ' },
    'decomposed-route': { route: 'a\u0308' },
    'empty-route': { route: '' },
    ...(declaration.body === 'json' && {
      'null-in-the-payload': { body: { token: `${bench.token()}-0`, nothing: null, list: [null] } },
    }),
  };
  const isJudged = (option: string, value: unknown) =>
    (option === 'body' || declaration.offers.includes(option as ChildOption)) &&
    (value !== '' || !declaration.blankIsAbsent.includes(option as ChildOption)) &&
    (option !== 'delay' || Number(value) % declaration.timeResolution === 0);
  return Object.fromEntries(
    Object.entries(values).filter(([, over]) =>
      Object.entries(over).every(([option, value]) => isJudged(option, value)),
    ),
  );
}

/** Fails the guard unless a value that a backend may refuse is kept exactly, or refused before any write. */
async function isKeptOrRefused(bench: Bench, path: Path, over: Partial<Child>): Promise<void> {
  const wanted = someSlots(bench, path.name === 'bulk' ? 3 : 1);
  const unusualSlot = wanted.length - 1;
  const scene = await setScene(bench, {
    slots: wanted.map((slot, i) => (i === unusualSlot ? { ...slot, child: { ...slot.child, ...over } } : slot)),
  });
  const { rig, schedule, slots } = scene;
  const what = `${count(slots.length, 'slots')}, the last of them with ${short(over)},`;
  const before = await readState(bench, rig);
  const window = { ...expecting(schedule), slots };
  const settled = await (path.name === 'bulk'
    ? materializeWindow(bench, rig, window)
    : materialize(rig, { ...expecting(schedule), slot: slots[0]! }));
  if ('threw' in settled) {
    // A window that is not atomic may leave what comes before the slot that it refuses.
    if (path.name === 'single' || bench.declaration.givesUp.atomic === undefined)
      await mustHaveState(bench, rig, before, `${what} which are refused`, slots);
    bench.record('children compared', 1);
    return;
  }
  const children = await childrenBySlot(bench, rig, schedule.id);
  const differences = slots.map((slot, i) => {
    const found = children.get(Date.parse(slot.at)) ?? [];
    if (found.length !== 1)
      throw new Violation(`${what} are accepted, and slot ${i} has ${count(found.length, 'child rows')}, not 1`);
    return slotDifferences(bench, slot, found[0]!);
  });
  mustAgree(w, slots, differences, what, 'stored as sent');
  bench.record('children compared', slots.length);
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
