import { mustBeExact, mustHaveStoredAll, mustHaveStoredNothing, mustSucceed } from '../kernel/checks.ts';
import { type Bench, type Guard, guard, Violation } from '../kernel/guard.ts';
import { failureOf, type Writes } from '../kernel/writes.ts';

/** Columns that a row of a batch is tried with, beyond the fields that an item has: keys, stamps and defaults. */
const furtherColumns = [0, 1, 2, 3, 5];

export function pastTheLimits<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/past-the-limits`,
    statement:
      "Round the engine's limit of parameters a batch is stored whole or refused whole with a clear error; its last item is never dropped.",
    needs: ['paramLimit'],
    proves: ['batches round the limit'],
    async check(bench) {
      const limit = bench.facts.maxParams!;
      const [probe] = w.items(bench, 1);
      const fields = Object.keys(probe as object).length;
      const widths = furtherColumns.map((more) => fields + more);
      for (const width of widths) {
        // One more than fits: the item that tips the limit is the one that gets lost.
        const size = Math.floor(limit / width) + 1;
        if (size > (bench.declaration.limits.maxItems ?? size)) continue;
        await bench.case(`${size}-items`, () => wholeOrNothing(bench, w, w.items(bench, size)));
      }
      const narrowFirst = Math.floor(limit / fields) + 1;
      await bench.case(`${narrowFirst}-items-narrow-first`, async () => {
        const half = Math.ceil(narrowFirst / 2);
        await wholeOrNothing(bench, w, [...w.items(bench, half, 'bare'), ...w.items(bench, narrowFirst - half)]);
      });
      bench.record('parameters in a statement, at most', limit);
    },
  });
}

async function wholeOrNothing<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[]): Promise<void> {
  const rig = await bench.open();
  const written = await w.write(rig, items);
  const failure = failureOf(written);
  const what = `a batch of ${items.length}`;
  bench.record('batches round the limit', 1);
  if (failure) {
    if (failure.message.trim() === '') throw new Violation(`${what} was refused without a word`);
    await mustHaveStoredNothing(bench, w, rig, items, what);
    bench.record('batches refused', 1);
    return;
  }
  mustSucceed(w, items, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, items, what);
  const last = items.length - 1;
  mustBeExact(bench, w, [items[last]!], [rows[last]!], written, `the last item of ${what}`);
}
