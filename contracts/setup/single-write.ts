import { mustBeExact, mustHaveStoredAll, mustSucceed } from '../kernel/checks.ts';
import { type Guard, guard } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';

export function singleWriteIsSeen<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/single-write-is-seen',
    statement: 'One item written by the single path is found by the probe with every value it was given.',
    proves: ['items compared'],
    async check(bench) {
      const rig = await bench.open();
      const items = w.items(bench, 1);
      const written = await w.writeOne(rig, items[0]!);
      mustSucceed(w, items, written, 'a single write');
      const rows = await mustHaveStoredAll(bench, w, rig, items, 'one item by the single path');
      mustBeExact(bench, w, items, rows, written, 'one item by the single path');
      bench.record('items compared', 1);
    },
  });
}
