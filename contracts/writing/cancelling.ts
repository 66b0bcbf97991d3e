import { mustFail, mustHaveStoredNothing, mustSucceed, premise } from '../kernel/checks.ts';
import { type Guard, guard, Violation } from '../kernel/guard.ts';
import { count, cut } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import { toldOf } from '../kernel/whole-or-none.ts';
import type { Writes } from '../kernel/writes.ts';

export function abortedBeforeStartWritesNothing<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/aborted-before-start-writes-nothing`,
    statement: 'A call whose signal is aborted already sends no statement, fails, and stores nothing.',
    needs: ['cancel', 'trace'],
    proves: ['aborted calls', 'statements of the same batch without a signal'],
    async check(bench) {
      for (const size of [1, severalChunks(bench)]) {
        await bench.case(`size-${size}`, async () => {
          const rig = await bench.open();
          const items = w.items(bench, size);
          const watch = await rig.lease.watch();
          const written = await w.write(rig, items, { signal: AbortSignal.abort() });
          const { statements } = await watch.stop();
          bench.record('aborted calls', 1);
          const what = 'a batch whose signal was aborted before it began';
          if (statements.length > 0) {
            const first = cut(statements[0]!.text.replace(/\s+/g, ' ').trim(), 60);
            throw new Violation(`${what} sent ${count(statements.length, 'statements')}, the first: ${first}`);
          }
          mustFail(w, items, written, what);
          if (toldOf(w, items, written, what) === 'unknown')
            throw new Violation(`${what} was reported as unknown, though nothing of it can have been sent`);
          await mustHaveStoredNothing(bench, w, rig, items, what);
          await premise('the same batch without a signal', async () => {
            const control = await rig.lease.watch();
            mustSucceed(w, items, await w.write(rig, items), 'it');
            const seen = await control.stop();
            bench.record('statements of the same batch without a signal', seen.statements.length);
          });
        });
      }
    },
  });
}
