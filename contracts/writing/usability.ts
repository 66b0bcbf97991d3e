import { mustFail, mustHaveStoredAll, mustHaveStoredNothing, mustSucceed } from '../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { claimedIds, type Writes } from '../kernel/writes.ts';

export function backendUsableAfterFailure<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/backend-usable-after-failure`,
    statement:
      'After each kind of failure the next batch on the same subject, begun at once, is stored whole and gets its own replies.',
    proves: ['failures before the next batch'],
    async check(bench) {
      const size = severalChunks(bench);
      const { lacks } = bench.facts;
      if (!lacks.rowFault) await bench.case('after-a-refused-row', () => afterFault(bench, w, size, 'row'));
      if (!lacks.commitFault && bench.declaration.givesUp.atomic === undefined) {
        await bench.case('after-a-refused-commit', () => afterFault(bench, w, size, 'commit'));
      }
      await bench.case('after-an-unreadable-item', async () => {
        const rig = await bench.open();
        const bad = w.items(bench, size).map((item, slot) => (slot === size - 1 ? w.unreadable(item) : item));
        mustFail(w, bad, await w.write(rig, bad), 'a batch whose last item cannot be read');
        bench.record('failures before the next batch', 1);
        await nextBatchIsWhole(bench, w, rig, bad, size);
      });
    },
  });
}

async function afterFault<Item>(bench: Bench, w: Writes<Item>, size: number, at: 'row' | 'commit'): Promise<void> {
  const tables = await tablesWritten(bench, w, w.items(bench, size));
  const [table, rows] = Object.entries(tables)[0]!;
  const rig = await bench.open();
  const bad = w.items(bench, size);
  const fault = await rig.lease.arm(
    at === 'row' ? { at, table, nth: Math.ceil(rows / 2), kind: 'trigger' } : { at, table },
  );
  const written = await w.write(rig, bad);
  const sprung = await fault.sprung();
  await fault.disarm();
  bench.record('failures before the next batch', sprung.raised);
  mustFail(
    w,
    bad,
    written,
    at === 'row' ? 'a batch with a row that the engine refused' : 'a batch whose commit the engine refused',
  );
  await nextBatchIsWhole(bench, w, rig, bad, size);
}

async function nextBatchIsWhole<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  bad: readonly Item[],
  size: number,
): Promise<void> {
  const items = w.items(bench, size);
  const written = await w.write(rig, items);
  const what = 'the next batch after a failure, on the same subject';
  mustSucceed(w, items, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, items, what);
  if (bench.declaration.givesUp.atomic === undefined)
    await mustHaveStoredNothing(bench, w, rig, bad, 'the batch that failed before');
  // Gaps and order are for the guards about ids; here a reply that belongs to another batch is looked for.
  if (bench.declaration.givesUp.ids === undefined) {
    const own = new Set(rows.map((row) => row.id));
    const foreign = claimedIds(written).filter((id) => !own.has(id));
    if (foreign.length > 0)
      throw new Violation(`${what}: the ids ${foreign.slice(0, 3).join(', ')} are not those of its own rows`);
  }
}
