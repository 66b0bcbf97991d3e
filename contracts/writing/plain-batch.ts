import { mustSucceed, premise } from '../kernel/checks.ts';
import type { SeenStatement } from '../kernel/engine.ts';
import type { Bench } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';

/** The statements of a batch like this that nothing disturbs, in the order in which they were begun. */
export async function statementsOf<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
): Promise<SeenStatement[]> {
  const rig = await bench.open();
  const watch = await rig.lease.watch();
  const written = await w.write(rig, items);
  const { statements } = await watch.stop();
  await premise('the plain batch that it begins with', () => mustSucceed(w, items, written, 'a plain batch'));
  return statements;
}
