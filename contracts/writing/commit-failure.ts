import { type Bench, type Guard, guard } from '../kernel/guard.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import type { Writes } from '../kernel/writes.ts';

export function commitFailureIsReported<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/commit-failure-is-reported`,
    statement: 'When the engine refuses the commit of a batch, the call fails, and the rows are as it reports.',
    needs: ['commitFault', 'trace'],
    proves: ['commits refused', 'failing commit'],
    async check(bench) {
      const tables = Object.keys(await tablesWritten(bench, w, w.items(bench, severalChunks(bench))));
      const several = w.items(bench, severalChunks(bench));
      for (const table of tables) {
        await bench.case(`${table}-several-chunks`, () => refuseCommit(bench, w, several, table));
      }
      await bench.case(`${tables[0]}-one-item`, () => refuseCommit(bench, w, w.items(bench, 1), tables[0]!));
    },
  });
}

/**
 * Refuses the next commit that holds a row of the table. A backend that tries again may then store the batch, since
 * the engine refuses once: what counts is that its word is true.
 */
async function refuseCommit<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[], table: string): Promise<void> {
  const rig = await bench.open();
  const watch = await rig.lease.watch();
  const fault = await rig.lease.arm({ at: 'commit', table });
  const written = await w.write(rig, items);
  const { statements } = await watch.stop();
  const sprung = await fault.sprung();
  await fault.disarm();
  bench.record('commits refused', sprung.raised);
  if (sprung.raised === 0) return;
  const refused = statements.findLast((s) => s.failed !== undefined);
  bench.record('failing commit', refused?.kind === 'commit' ? refused.text : 'of a statement that commits itself');
  await mustBeTrue(bench, w, rig, items, written, `a batch of ${items.length} whose commit the engine refused`);
}
