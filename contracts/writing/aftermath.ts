import { mustHaveStoredNothing } from '../kernel/checks.ts';
import { type Bench, type Rig, Violation } from '../kernel/guard.ts';
import { count, short } from '../kernel/print.ts';
import { grown, type Writes } from '../kernel/writes.ts';

/**
 * Remembers what is there before a batch that is to fail. The function returned fails the guard when anything of the
 * items is stored afterwards, any row that was not there before, or any change of one that was.
 */
export async function remembered<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
): Promise<(items: readonly Item[], what: string) => Promise<void>> {
  const before = await rig.lease.snapshot();
  const changesSince = await w.standing?.(bench, rig);
  return async (items, what) => {
    await mustHaveStoredNothing(bench, w, rig, items, what);
    const more = grown(before, await rig.lease.snapshot());
    if (Object.keys(more).length > 0) throw new Violation(`${what} left rows behind: ${short(more)}`);
    const [first, ...others] = (await changesSince?.()) ?? [];
    if (first === undefined) return;
    const rest = others.length > 0 ? ` (and ${count(others.length, 'changes')} more)` : '';
    throw new Violation(`${what} left a change behind: ${first}${rest}`);
  };
}

/** Whether a batch changes rows of a table where they are, seen by having one of them refused. */
export async function changesRowsOf<Item>(bench: Bench, w: Writes<Item>, table: string): Promise<boolean> {
  const rig = await bench.open();
  const armed = await rig.lease.arm({ at: 'row', on: 'update', table, nth: 1, kind: 'trigger' });
  await w.write(rig, w.items(bench, 2));
  const { count: refused } = await armed.sprung();
  return refused > 0;
}
