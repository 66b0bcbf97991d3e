import { mustSucceed } from '../kernel/checks.ts';
import { type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import type { Writes } from '../kernel/writes.ts';

/** A batch of one short statement may be over before another reader has looked; then another one is watched. */
const mostBatches = 10;

export function noPartialVisibility<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/no-partial-visibility`,
    statement: 'A reader that looks while the batch is being written sees all of it or nothing.',
    needs: ['isolated', 'observer', 'trace'],
    proves: ['samples in flight'],
    async check(bench) {
      const size = severalChunks(bench);
      for (const shape of ['full', 'mixed'] as const) {
        const tables = Object.keys(await tablesWritten(bench, w, w.items(bench, size, shape)));
        await bench.case(`tables-${shape}`, async () => {
          const rig = await bench.open();
          let inFlight = 0;
          for (let batch = 1; batch <= mostBatches && inFlight === 0; batch++) {
            inFlight = await watchTables(w, rig, w.items(bench, size, shape), tables);
          }
          bench.record('samples in flight', inFlight);
        });
        await bench.case(`rows-${shape}`, async () => {
          if (!bench.statements.rows) return;
          const rig = await bench.open();
          const items = w.items(bench, size, shape);
          const watch = await rig.lease.watch({ statement: bench.statements.rows });
          const written = await w.write(rig, items);
          const { samples } = await watch.stop();
          mustSucceed(w, items, written, 'a watched batch');
          const final = await rig.read();
          const whole = 'rows' in final ? rowSet(final.rows) : '';
          for (const { found, statements } of samples) {
            if ('refused' in found || 'missing' in found || found.rows.length === 0) continue;
            if (rowSet(found.rows) === whole) continue;
            throw new Violation(
              `after ${statements} statements of the batch a reader saw ${found.rows.length} of ${size} rows, or rows that were not yet complete`,
            );
          }
        });
      }
    },
  });
}

/** Fails the guard when another reader counts a part of the batch; returns how often he looked in flight. */
async function watchTables<Item>(w: Writes<Item>, rig: Rig, items: readonly Item[], tables: string[]): Promise<number> {
  const before = await rig.lease.snapshot();
  const watch = await rig.lease.watch({ tables });
  const written = await w.write(rig, items);
  const { samples } = await watch.stop();
  mustSucceed(w, items, written, 'a watched batch');
  const after = await rig.lease.snapshot();
  const inEach = (rows: (table: string) => number) => tables.map((t) => `${rows(t)} in ${t}`).join(', ');
  const none = inEach((t) => before.tables[t] ?? 0);
  const all = inEach((t) => after.tables[t] ?? 0);
  for (const { found, statements } of samples) {
    if ('refused' in found || 'missing' in found) continue;
    const [counts] = found.rows;
    const seen = inEach((t) => Number(counts?.[t]));
    if (seen === none || seen === all) continue;
    throw new Violation(
      `after ${statements} statements of the batch a reader counted rows: ${seen}; before it there were ${none}, afterwards ${all}`,
    );
  }
  return samples.filter((sample) => sample.inFlight).length;
}

function rowSet(rows: Record<string, unknown>[]): string {
  return rows
    .map((row) => short(row, Number.POSITIVE_INFINITY))
    .sort()
    .join('\n');
}
