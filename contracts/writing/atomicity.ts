import { mustFail, mustHaveStoredNothing } from '../kernel/checks.ts';
import type { RowFaultKind } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { type Position, positions, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { grown, type Shape, type Writes } from '../kernel/writes.ts';
import { Met } from './met.ts';
import { Standing } from './standing.ts';

/** A batch that is large, whatever its chunks. */
const large = 5000;

export function nothingPersistsAfterFailure<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/nothing-persists-after-failure`,
    statement:
      'When the engine refuses any row of a batch, nothing of the batch exists afterwards and no outcome carries an id.',
    needs: ['atomic', 'rowFault'],
    proves: ['faults raised', 'rows accepted before the fault', 'kinds', 'tables', 'chunks', 'places'],
    async check(bench) {
      const size = severalChunks(bench);
      const standing = new Standing(bench);
      const rig = await standing.rig();
      const batches = { full: w.items(bench, size), mixed: w.items(bench, size, 'mixed') };
      const tables = {
        full: await tablesWritten(bench, w, batches.full, rig),
        mixed: await tablesWritten(bench, w, batches.mixed, rig),
      };
      const met = new Met();
      const everywhere = positions(bench, size);
      for (const plan of plans(Object.keys(tables.full), rig.lease.rowFaults, everywhere)) {
        const { table, shape, kind, position } = plan;
        const rows = tables[shape][table];
        if (rows === undefined) continue;
        const fault: RowFault = { table, kind, nth: rowAt(position.slot, size, rows) };
        await standing.case(`${table}-${kind}-${shape}-${position.name}`, async (there) => {
          const sprang = await failAt(bench, w, there, batches[shape], fault);
          // A subject that the case before has spoiled may not have come as far as the fault.
          if (!sprang && !(await failAt(bench, w, await bench.open(), batches[shape], fault))) {
            bench.record('faults raised', 0);
            return false;
          }
          met.note({ kinds: kind, tables: table, chunks: position.chunk, places: position.place, shapes: shape });
          return sprang;
        });
      }
      await lastOfALargeBatch(bench, w, standing, Object.entries(tables.full)[0]!, size);
      met.record(bench);
    },
  });
}

interface Plan {
  table: string;
  kind: RowFaultKind;
  position: Position;
  shape: Shape & ('full' | 'mixed');
}

/**
 * On the first table a fault at every position; on the others, and for batches of mixed shapes, in three chunks; and
 * every other kind on every table, each at the next position in turn.
 */
function plans(tables: string[], kinds: readonly RowFaultKind[], everywhere: Position[]): Plan[] {
  const [usual, ...others] = kinds as [RowFaultKind, ...RowFaultKind[]];
  const three = everywhere.length > 3 ? everywhere.filter((_, i) => i % 4 === 0) : everywhere;
  return tables.flatMap((table, t) => [
    ...(t === 0 ? everywhere : three).map((position): Plan => ({ table, kind: usual, position, shape: 'full' })),
    ...three.map((position): Plan => ({ table, kind: usual, position, shape: 'mixed' })),
    ...others.map((kind, k): Plan => {
      // Four steps on are the next chunk and the next place in it.
      const position = everywhere[(4 * (k + t)) % everywhere.length]!;
      return { table, kind, position, shape: (k + t) % 2 === 0 ? 'full' : 'mixed' };
    }),
  ]);
}

interface RowFault {
  table: string;
  kind: RowFaultKind;
  nth: number;
}

/** Writes the items under the fault and looks for what is left of them; whether the fault was met. */
async function failAt<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  fault: RowFault,
): Promise<boolean> {
  const before = await rig.lease.snapshot();
  const armed = await rig.lease.arm({ at: 'row', ...fault });
  const written = await w.write(rig, items);
  const sprung = await armed.sprung();
  await armed.disarm();
  if (sprung.count === 0) return false;
  bench.record('faults raised', sprung.raised);
  if (fault.nth > 1) bench.record('rows accepted before the fault', sprung.rowsBefore);
  const what = `a batch whose row ${fault.nth} in ${fault.table} the engine refused (${fault.kind})`;
  mustFail(w, items, written, what, { answerLost: fault.kind === 'session-ended' });
  await mustHaveStoredNothing(bench, w, rig, items, what);
  const more = grown(before, await rig.lease.snapshot());
  if (Object.keys(more).length > 0) throw new Violation(`${what} left rows behind: ${short(more)}`);
  return true;
}

async function lastOfALargeBatch<Item>(
  bench: Bench,
  w: Writes<Item>,
  standing: Standing,
  [table, rows]: [string, number],
  size: number,
): Promise<void> {
  // Who sends the items one by one has no statement that could become too large.
  if (bench.declaration.givesUp.batched !== undefined) return;
  const most = Math.min(large, bench.declaration.limits.maxItems ?? large);
  await standing.case('last-row-of-a-large-batch', (rig) => {
    const nth = Math.floor((rows * most) / size);
    return failAt(bench, w, rig, w.items(bench, most), { table, kind: 'trigger', nth });
  });
}
