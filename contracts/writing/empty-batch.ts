import { failureText } from '../kernel/checks.ts';
import { type Guard, guard, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { failureOf, grown, type Writes } from '../kernel/writes.ts';

export function emptyBatch<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/empty-batch`,
    statement: 'An empty batch on a namespace that exists brings zero outcomes, no error, and writes nothing.',
    proves: ['namespace seen'],
    async check(bench) {
      const rig = await bench.open();
      const found = await rig.read();
      if ('missing' in found) throw new Violation(`open created nothing: the probe misses ${found.missing}`);
      bench.record('namespace seen', 1);
      const before = await rig.lease.snapshot();
      const written = await w.write(rig, []);
      const failure = failureOf(written);
      if (failure) throw new Violation(`an empty batch failed: ${failureText(failure)}`);
      if (written.outcomes!.length > 0)
        throw new Violation(`an empty batch brought outcomes: ${short(written.outcomes)}`);
      const more = grown(before, await rig.lease.snapshot());
      if (Object.keys(more).length > 0) throw new Violation(`an empty batch wrote rows: ${short(more)}`);
    },
  });
}
