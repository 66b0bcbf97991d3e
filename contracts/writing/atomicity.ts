import { mustFail } from '../kernel/checks.ts';
import type { Fault, RowFaultKind } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig } from '../kernel/guard.ts';
import { sameJson } from '../kernel/print.ts';
import { justASecondChunk, type Position, positions, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { failureOf, grown, type OtherCall, type Shape, type Writes } from '../kernel/writes.ts';
import { changesRowsOf, remembered } from './aftermath.ts';
import { Met } from './met.ts';
import { Standing } from './standing.ts';

/** A batch that is large, whatever its chunks. */
const large = 5000;

export function nothingPersistsAfterFailure<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/nothing-persists-after-failure`,
    statement:
      'When the engine refuses a row that a batch adds or changes, nothing of it exists afterwards and no outcome carries an id.',
    needs: ['atomic', 'rowFault'],
    proves: ['faults raised', 'rows accepted before the fault', 'kinds', 'tables', 'chunks', 'places'],
    async check(bench) {
      const standing = new Standing(bench);
      const rig = await standing.rig();
      const whole = await batchOf(bench, w, severalChunks(bench), rig);
      const two = await batchOf(bench, w, justASecondChunk(bench), rig);
      const met = new Met();
      for (const { table, shape, kind, position, batch } of plans(rig.lease.rowFaults, whole, two)) {
        const rows = batch.tables[shape][table];
        if (rows === undefined) continue;
        const fault: RowFault = { table, kind, nth: rowAt(position.slot, batch.size, rows) };
        await standing.case(`${table}-${kind}-${shape}-${position.name}`, async (there) => {
          const { raised, spoiled } = await meets(bench, w, there, batch.items[shape], fault);
          const where = { chunks: position.chunk, places: position.place, shapes: shape };
          if (raised) met.note({ kinds: kind, tables: table, ...where });
          return !spoiled;
        });
      }
      await changedRows(bench, w, standing, two, met);
      await lastOfALargeBatch(bench, w, standing, whole);
      await poisoned(bench, w, standing, two);
      await withEveryOffer(bench, w, standing, whole, met);
      await byOtherCalls(bench, w, standing, whole);
      met.record(bench);
    },
  });
}

type FullOrMixed = Extract<Shape, 'full' | 'mixed'>;

/** Items in two shapes, and how many rows they are in each table. */
interface Batch<Item> {
  size: number;
  items: Record<FullOrMixed, Item[]>;
  tables: Record<FullOrMixed, Record<string, number>>;
  positions: Position[];
}

async function batchOf<Item>(bench: Bench, w: Writes<Item>, size: number, rig: Rig): Promise<Batch<Item>> {
  const items = { full: w.items(bench, size), mixed: w.items(bench, size, 'mixed') };
  const tables = {
    full: await tablesWritten(bench, w, items.full, rig),
    mixed: await tablesWritten(bench, w, items.mixed, rig),
  };
  return { size, items, tables, positions: positions(bench, size) };
}

interface Plan<Item> {
  table: string;
  kind: RowFaultKind;
  position: Position;
  shape: FullOrMixed;
  batch: Batch<Item>;
}

/**
 * The usual kind at every position of the first table, and in three chunks of the others; then every other kind on every
 * table, each at the next position in turn, and in the other shape.
 */
function plans<Item>(kinds: readonly RowFaultKind[], whole: Batch<Item>, two: Batch<Item>): Plan<Item>[] {
  const [usual, ...others] = kinds as [RowFaultKind, ...RowFaultKind[]];
  const everywhere = whole.positions;
  const three = everywhere.length > 3 ? everywhere.filter((_, i) => i % 4 === 0) : everywhere;
  return Object.keys(whole.tables.full).flatMap((table, t) => {
    const byTrigger = (shape: FullOrMixed, at: Position[]) =>
      at.map((position): Plan<Item> => ({ table, kind: usual, position, shape, batch: whole }));
    return [
      ...byTrigger('full', t === 0 ? everywhere : []),
      ...byTrigger('mixed', three),
      ...others.map((kind, k): Plan<Item> => {
        // Four steps on are the next chunk and the next place in it.
        const position = two.positions[(4 * (k + t)) % two.positions.length]!;
        return { table, kind, position, shape: (k + t) % 2 === 0 ? 'full' : 'mixed', batch: two };
      }),
    ];
  });
}

type RowFault = Omit<Extract<Fault, { at: 'row' }>, 'at'>;

/** Meets the fault, by a fresh subject if need be: one that the case before has spoiled may not come as far. */
async function meets<Item>(
  bench: Bench,
  w: Writes<Item>,
  there: Rig,
  items: readonly Item[],
  fault: RowFault,
  call?: OtherCall<Item>,
): Promise<{ raised: boolean; spoiled: boolean }> {
  if (await failAt(bench, w, there, items, fault, call)) return { raised: true, spoiled: false };
  const raised = await failAt(bench, w, await bench.open(), items, fault, call);
  if (!raised) bench.record('faults raised', 0);
  return { raised, spoiled: true };
}

/** Writes the items under the fault and looks for what is left of them; whether the fault was met. */
async function failAt<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  fault: RowFault,
  call?: OtherCall<Item>,
): Promise<boolean> {
  const mustHaveLeftNothing = await remembered(bench, w, rig);
  const armed = await rig.lease.arm({ at: 'row', ...fault });
  const written = await (call ?? w).write(rig, items);
  const sprung = await armed.sprung();
  await armed.disarm();
  if (sprung.count === 0) return false;
  bench.record('faults raised', sprung.raised);
  if (fault.nth > 1) bench.record('rows accepted before the fault', sprung.rowsBefore);
  const refused =
    fault.on === 'update' ? `change of row ${fault.nth} of ${fault.table}` : `row ${fault.nth} in ${fault.table}`;
  const what = `a batch ${call ? `${call.how} ` : ''}whose ${refused} the engine refused (${fault.kind})`;
  mustFail(w, items, written, what, { answerLost: fault.kind === 'session-ended' });
  await mustHaveLeftNothing(items, what);
  return true;
}

/** Where a batch also changes rows that were there before, the engine refuses that, once by each kind. */
async function changedRows<Item>(
  bench: Bench,
  w: Writes<Item>,
  standing: Standing,
  { items }: Batch<Item>,
  met: Met,
): Promise<void> {
  const { rowFaults } = (await standing.rig()).lease;
  for (const table of (await w.changed?.(bench)) ?? []) {
    if (!(await changesRowsOf(bench, w, table))) {
      bench.leaveOut(`${table}-update`, `a batch changes no row of ${table} in its place`);
      continue;
    }
    for (const kind of rowFaults) {
      await standing.case(`${table}-update-${kind}`, async (there) => {
        const fault: RowFault = { table, on: 'update', kind, nth: 1 };
        const { raised, spoiled } = await meets(bench, w, there, items.full, fault);
        if (raised) met.note({ 'kinds on update': kind, 'tables on update': table });
        return !spoiled;
      });
    }
  }
}

async function lastOfALargeBatch<Item>(
  bench: Bench,
  w: Writes<Item>,
  standing: Standing,
  { size, tables }: Batch<Item>,
): Promise<void> {
  // Who sends the items one by one has no statement that could become too large.
  if (bench.declaration.givesUp.batched !== undefined) return;
  const [table, rows] = Object.entries(tables.full)[0]!;
  const most = Math.min(large, bench.declaration.limits.maxItems ?? large);
  await standing.case('last-row-of-a-large-batch', (rig) => {
    const nth = Math.floor((rows * most) / size);
    return failAt(bench, w, rig, w.items(bench, most), { table, kind: 'trigger', nth });
  });
}

/**
 * One item is refused however often it is sent, and the others are not: whoever tries again item by item after a failure
 * stores those before it.
 */
async function poisoned<Item>(bench: Bench, w: Writes<Item>, standing: Standing, { size, tables }: Batch<Item>) {
  await standing.case('item-that-is-always-refused', async (rig) => {
    for (const table of Object.keys(tables.full)) {
      const items = w.items(bench, size);
      const bad = items[Math.floor(size / 2)]!;
      const mustHaveLeftNothing = await remembered(bench, w, rig);
      const armed = await rig.lease.arm({ at: 'poison', table, text: w.token(bad) });
      const written = await w.write(rig, items);
      const sprung = await armed.sprung();
      await armed.disarm();
      // The item's nonce is in the row of its body, and in no other table.
      if (sprung.count === 0) continue;
      bench.record('faults raised', sprung.raised);
      const what = `a batch with an item that ${table} refuses however often it is sent`;
      mustFail(w, items, written, what);
      await mustHaveLeftNothing(items, what);
      return true;
    }
    return false;
  });
}

/** Items that ask for a key, a job or a column may be written another way: late rows of theirs are refused in each table. */
async function withEveryOffer<Item>(
  bench: Bench,
  w: Writes<Item>,
  standing: Standing,
  { size, items: { full }, positions }: Batch<Item>,
  met: Met,
): Promise<void> {
  const items = w.withEveryOffer?.(bench, full);
  if (items === undefined || items.every((item, slot) => sameJson(item, full[slot]))) return;
  const rig = await standing.rig();
  const before = await rig.lease.snapshot();
  const failure = failureOf(await w.write(rig, items));
  const tables = grown(before, await rig.lease.snapshot());
  await rig.lease.restore(before);
  if (failure) return bench.leaveOut('every-offer', `a batch that uses all that is offered fails: ${failure.message}`);
  for (const [table, rows] of Object.entries(tables)) {
    for (const { name, slot, chunk, place } of [positions.at(-1)!, positions[Math.floor(positions.length / 2)]!]) {
      await standing.case(`${table}-every-offer-${name}`, async (there) => {
        const fault: RowFault = { table, kind: 'trigger', nth: rowAt(slot, size, rows) };
        const { raised, spoiled } = await meets(bench, w, there, items, fault);
        if (raised) met.note({ tables: table, chunks: chunk, places: place, shapes: 'every offer' });
        return !spoiled;
      });
    }
  }
}

/** The last row of a batch that is written by another call. */
async function byOtherCalls<Item>(
  bench: Bench,
  w: Writes<Item>,
  standing: Standing,
  { items, tables }: Batch<Item>,
): Promise<void> {
  const [table, rows] = Object.entries(tables.full)[0]!;
  for (const call of w.otherCalls?.(bench) ?? []) {
    await standing.case(`${call.name}-last`, async (there) => {
      const { spoiled } = await meets(bench, w, there, items.full, { table, kind: 'trigger', nth: rows }, call);
      return !spoiled;
    });
  }
}
