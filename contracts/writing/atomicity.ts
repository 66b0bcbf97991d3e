import { mustFail, mustHaveStoredNothing, mustSucceed } from '../kernel/checks.ts';
import { type RowFaultKind, rowFaultKinds, type Snapshot } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { positions, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { grown, type Writes } from '../kernel/writes.ts';

export function nothingPersistsAfterFailure<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/nothing-persists-after-failure`,
    statement:
      'When the engine refuses any row of a batch, nothing of the batch exists afterwards and no outcome carries an id.',
    needs: ['atomic', 'rowFault'],
    proves: ['faults raised', 'rows accepted before the fault'],
    async check(bench) {
      const size = severalChunks(bench);
      const everywhere = positions(bench, size);
      // One place in each of three chunks, or all three where there is one chunk.
      const here = everywhere.length > 3 ? everywhere.filter((_, i) => i % 4 === 0) : everywhere;
      await bench.case('last-row-of-a-large-batch', async () => {
        const large = Math.min(5000, bench.declaration.limits.maxItems ?? 5000);
        const items = w.items(bench, large);
        const [table, rows] = Object.entries(await tablesWritten(bench, w, items))[0]!;
        await failAt(bench, w, { items, table, nth: rows, kind: 'trigger' });
      });
      for (const shape of ['full', 'mixed'] as const) {
        const items = w.items(bench, size, shape);
        const tables = Object.entries(await tablesWritten(bench, w, items));
        for (const [index, [table, rows]] of tables.entries()) {
          const first = shape === 'full' && index === 0;
          for (const { name, slot } of first ? everywhere : here) {
            // Where a table gets more or fewer rows than there are items, the same share of its rows is let through.
            const nth = 1 + Math.floor((slot * (rows - 1)) / Math.max(1, size - 1));
            await bench.case(`${table}-${shape}-${name}`, () =>
              failAt(bench, w, { items, table, nth, kind: 'trigger' }),
            );
          }
          if (shape === 'mixed') continue;
          for (const kind of rowFaultKinds) {
            if (kind === 'trigger') continue;
            const nth = Math.ceil(rows / 2) + 1;
            await bench.case(`${table}-${kind}`, () => failAt(bench, w, { items, table, nth, kind }));
          }
        }
      }
    },
  });
}

interface FailurePlan<Item> {
  items: readonly Item[];
  table: string;
  nth: number;
  kind: RowFaultKind;
}

async function failAt<Item>(bench: Bench, w: Writes<Item>, plan: FailurePlan<Item>): Promise<void> {
  const rig = await bench.open();
  if (!rig.lease.rowFaults.includes(plan.kind)) return;
  const { items } = plan;
  const before = await rig.lease.snapshot();
  const fault = await rig.lease.arm({ at: 'row', table: plan.table, nth: plan.nth, kind: plan.kind });
  const written = await w.write(rig, items);
  const sprung = await fault.sprung();
  await fault.disarm();
  bench.record('faults raised', sprung.raised);
  if (sprung.count === 0) return;
  if (plan.nth > 1) bench.record('rows accepted before the fault', sprung.rowsBefore);
  const what = `a batch whose row ${plan.nth} in ${plan.table} the engine refused (${plan.kind})`;
  mustFail(w, items, written, what);
  await mustHaveStoredNothing(bench, w, rig, items, what);
  mustBeUntouched(before, await rig.lease.snapshot(), what);
}

function mustBeUntouched(before: Snapshot, after: Snapshot, what: string): void {
  const more = grown(before, after);
  if (Object.keys(more).length > 0) throw new Violation(`${what} left rows behind: ${short(more)}`);
}

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
          const items = w.items(bench, size, shape);
          const before = await rig.lease.snapshot();
          const watch = await rig.lease.watch({ tables });
          const written = await w.write(rig, items);
          const { samples } = await watch.stop();
          mustSucceed(w, items, written, 'a watched batch');
          const after = await rig.lease.snapshot();
          bench.record('samples in flight', samples.filter((s) => s.inFlight).length);
          const none = tables.map((t) => before.tables[t] ?? 0).join(' ');
          const all = tables.map((t) => after.tables[t] ?? 0).join(' ');
          for (const { found, statements } of samples) {
            if ('refused' in found || 'missing' in found) continue;
            const seen = tables.map((t) => Number(found.rows[0]?.[t])).join(' ');
            if (seen === none || seen === all) continue;
            throw new Violation(
              `a reader saw ${seen} rows in ${tables.join(', ')} after ${statements} statements of the batch; before it were ${none}, afterwards ${all}`,
            );
          }
        });
        await bench.case(`rows-${shape}`, async () => {
          if (bench.rowsStatement === null) return;
          const rig = await bench.open();
          const items = w.items(bench, size, shape);
          const watch = await rig.lease.watch({ statement: bench.rowsStatement });
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

function rowSet(rows: Record<string, unknown>[]): string {
  return rows
    .map((row) => short(row, Number.POSITIVE_INFINITY))
    .sort()
    .join('\n');
}
