import { mustFail, mustHaveStoredNothing } from '../kernel/checks.ts';
import { type Bench, type Guard, guard, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { positions, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { grown, type Writes } from '../kernel/writes.ts';

export function failuresAtOnceLeaveNothing<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/failures-at-once-leave-nothing`,
    statement:
      'Of two batches that one subject is given at once, and both of which fail, nothing is stored and both are reported.',
    needs: ['atomic', 'rowFault'],
    proves: ['rows refused'],
    async check(bench) {
      const size = severalChunks(bench);
      const tables = Object.keys(await tablesWritten(bench, w, w.items(bench, size)));
      for (const { name, slot } of positions(bench, size)) {
        await bench.case(name, () => bothFail(bench, w, { size, slot, tables }));
      }
    },
  });
}

/** Writes two batches at once, which have an item in common that the engine refuses however often it is sent. */
async function bothFail<Item>(
  bench: Bench,
  w: Writes<Item>,
  { size, slot, tables }: { size: number; slot: number; tables: readonly string[] },
): Promise<void> {
  const rig = await bench.open();
  const [bad] = w.items(bench, 1);
  const batches = [w.items(bench, size).with(slot, bad!), w.items(bench, size).with(slot, bad!)];
  const before = await rig.lease.snapshot();
  const faults = [];
  // Its nonce is in the table of the bodies, and in no other.
  for (const table of tables) faults.push(await rig.lease.arm({ at: 'poison', table, text: w.token(bad!) }));
  const written = await Promise.all(batches.map((items) => w.write(rig, items)));
  for (const fault of faults) {
    const { raised } = await fault.sprung();
    if (raised > 0) bench.record('rows refused', raised);
    await fault.disarm();
  }
  await rig.quiet();
  for (const [i, items] of batches.entries()) {
    const what = `the ${i === 0 ? 'first' : 'second'} of two batches at once, of each of which the engine refused an item,`;
    mustFail(w, items, written[i]!, what);
    await mustHaveStoredNothing(bench, w, rig, items, what);
  }
  const more = grown(before, await rig.lease.snapshot());
  if (Object.keys(more).length > 0) {
    throw new Violation(`two batches that failed at once left rows behind: ${short(more)}`);
  }
}
