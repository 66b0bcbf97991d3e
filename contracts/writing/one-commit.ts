import { mustSucceed } from '../kernel/checks.ts';
import { type Guard, guard, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import type { Shape, Writes } from '../kernel/writes.ts';

export function isOneCommit<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/is-one-commit`,
    level: 'should',
    statement: 'A batch is one transaction, however many chunks it has.',
    needs: ['atomic', 'trace'],
    proves: ['commits seen', 'statements seen'],
    async check(bench) {
      const size = severalChunks(bench);
      for (const shape of ['full', 'mixed'] satisfies Shape[]) {
        await bench.case(shape, async () => {
          const rig = await bench.open();
          // What is made at the first use is not part of the batch.
          const [first] = w.items(bench, 1);
          mustSucceed(w, [first!], await w.write(rig, [first!]), 'a batch of one');
          const items = w.items(bench, size, shape);
          const watch = await rig.lease.watch();
          const written = await w.write(rig, items);
          const { commits, statements } = await watch.stop();
          mustSucceed(w, items, written, `a batch of ${size}`);
          bench.record('commits seen', commits);
          bench.record('statements seen', statements.length);
          if (commits > 1) {
            throw new Violation(
              `${count(size, w.noun)} were written in ${commits} transactions: whatever fails between two of them leaves a part`,
            );
          }
        });
      }
    },
  });
}
