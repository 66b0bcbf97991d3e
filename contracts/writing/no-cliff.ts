import {
  mustFail,
  mustHaveStoredAll,
  mustHaveStoredNothing,
  mustSucceed,
  mustTellOfFailure,
  premise,
} from '../kernel/checks.ts';
import { type Bench, type Guard, guard, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import type { StoredItem, Writes, Written } from '../kernel/writes.ts';

/** More than 16 bits can count, and than most engines take as arguments of a call. */
const large = 70_000;
const larger = 130_000;
/** The first slot that 16 bits cannot count. */
const beyond = 65_536;
const aroundBeyond = [0, beyond - 1, beyond, larger - 1];

export function noCliffAtLargeSizes<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/no-cliff-at-large-sizes`,
    level: 'should',
    onceForVariant: true,
    statement:
      'Batches of 70,000 and 130,000 small items end as small ones do: stored whole with true ids, failed whole, or refused whole.',
    // One by one they take as many round trips as there are items.
    needs: ['batched'],
    proves: ['items in a batch, at most', 'endings'],
    async check(bench) {
      const most = bench.declaration.limits.maxItems ?? Number.POSITIVE_INFINITY;
      const endings: string[] = [];
      // What goes wrong with a small batch, too, is no question of size.
      const small = severalChunks(bench);
      const few = await premise(`a batch of ${small}`, () => storedWhole(bench, w, small));
      // Ids that are out of order anyway are for the guards about them; the rest is judged all the same.
      const comparesIds =
        bench.declaration.givesUp.ids === undefined && wrongId(few, [...few.rows.keys()]) === undefined;
      await premise(`a batch of ${small} that fails`, () => failedWhole(bench, w, small, Math.floor((3 * small) / 4)));
      await bench.case(`${larger}-items`, async () => {
        if (most < larger) await refusedWhole(bench, w, larger);
        else {
          const stored = await storedWhole(bench, w, larger);
          const wrong = comparesIds ? wrongId(stored, aroundBeyond) : undefined;
          if (wrong) throw new Violation(wrong);
        }
        endings.push(`${larger} ${most < larger ? 'refused' : 'stored'}`);
      });
      await bench.case(`${large}-items-one-of-which-fails`, async () => {
        if (most < large) await refusedWhole(bench, w, large);
        else await failedWhole(bench, w, large, beyond + 1);
        endings.push(`${large} ${most < large ? 'refused' : 'failed'}`);
      });
      bench.record('items in a batch, at most', larger);
      bench.record('endings', endings.join(', '));
      bench.record('ids', comparesIds ? 'compared' : 'not compared');
    },
  });
}

interface Stored {
  written: Written;
  rows: readonly StoredItem[];
}

async function storedWhole<Item>(bench: Bench, w: Writes<Item>, size: number): Promise<Stored> {
  const rig = await bench.open();
  const items = w.items(bench, size, 'bare');
  const written = await w.write(rig, items);
  const what = `a batch of ${size}`;
  mustSucceed(w, items, written, what);
  await rig.quiet();
  return { written, rows: await mustHaveStoredAll(bench, w, rig, items, what) };
}

/** Which of these slots was told another id than that of its row, in words. */
function wrongId({ written, rows }: Stored, slots: readonly number[]): string | undefined {
  for (const slot of slots) {
    const outcome = written.outcomes![slot]!;
    const id = 'stored' in outcome ? outcome.stored : null;
    if (id === rows[slot]!.id) continue;
    return `of ${count(rows.length, 'items')} the one in slot ${slot} has id ${rows[slot]!.id}; told was ${id}`;
  }
  return undefined;
}

/** Writes a batch of which one slot fails. */
async function failedWhole<Item>(bench: Bench, w: Writes<Item>, size: number, slot: number): Promise<void> {
  const rig = await bench.open();
  let items = w.items(bench, size, 'bare');
  let what = `a batch of ${size} whose item ${slot} `;
  if (bench.facts.lacks.rowFault !== undefined || bench.declaration.givesUp.atomic !== undefined) {
    items = items.with(slot, w.unreadable(items[slot]!));
    what += 'cannot be read';
  } else {
    const few = w.items(bench, 8, 'bare');
    const [table, rows] = Object.entries(await tablesWritten(bench, w, few, rig))[0]!;
    await rig.lease.arm({ at: 'row', table, nth: 1 + Math.floor((slot * rows) / few.length), kind: 'trigger' });
    what += 'the engine refused';
  }
  const written = await w.write(rig, items);
  if (bench.declaration.givesUp.atomic !== undefined) {
    mustTellOfFailure(w, items, written, what);
    await rig.quiet();
    await mustBeTrue(bench, w, rig, items, written, what);
    return;
  }
  mustFail(w, items, written, what);
  await rig.quiet();
  await mustHaveStoredNothing(bench, w, rig, items, what);
}

async function refusedWhole<Item>(bench: Bench, w: Writes<Item>, size: number): Promise<void> {
  const rig = await bench.open();
  const items = w.items(bench, size, 'bare');
  const what = `a batch of ${size}, above the declared maximum of ${bench.declaration.limits.maxItems},`;
  mustFail(w, items, await w.write(rig, items), what);
  await mustHaveStoredNothing(bench, w, rig, items, what);
}
