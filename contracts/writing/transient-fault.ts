import type { Fault, RowFaultKind } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig } from '../kernel/guard.ts';
import { type Position, positions, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import type { Writes } from '../kernel/writes.ts';
import { Met } from './met.ts';
import { Standing } from './standing.ts';

/** Kinds that a backend may take for worth another try, the likeliest first. */
const temptations: readonly RowFaultKind[] = ['serialization', 'trigger', 'session-ended', 'unique', 'check'];

export function transientFaultEndsWhole<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/transient-fault-ends-whole`,
    statement:
      'After a fault that happens once, whether the backend tries again or reports it, all items are stored once with true outcomes, or none is.',
    needs: ['rowFault'],
    proves: ['faults raised', 'kinds', 'places', 'endings'],
    async check(bench) {
      const size = severalChunks(bench);
      const standing = new Standing(bench);
      const rig = await standing.rig();
      const [table, rows] = Object.entries(await tablesWritten(bench, w, w.items(bench, size), rig))[0]!;
      const kinds = temptations.filter((kind) => rig.lease.rowFaults.includes(kind));
      const places = tellingPlaces(positions(bench, size));
      const met = new Met();
      for (let i = 0; i < Math.max(kinds.length, places.length); i++) {
        const kind = kinds[i % kinds.length]!;
        const place = places[i % places.length]!;
        const nth = rowAt(place.slot, size, rows);
        await standing.case(`${kind}-${place.name}`, async (there) => {
          const ending = await once(bench, w, there, w.items(bench, size), { at: 'row', table, nth, kind, once: true });
          if (ending === undefined) return false;
          met.note({ kinds: kind, places: place.name, endings: ending });
          return true;
        });
      }
      bench.leaveOut('cut-before-the-commit', bench.facts.lacks.cut);
      if (bench.facts.lacks.cut === undefined) {
        await standing.case('cut-before-the-commit', async (there) => {
          const cut = { at: 'cut', point: { commit: 'before-sent' } } as const;
          const ending = await once(bench, w, there, w.items(bench, size), cut);
          if (ending !== undefined) met.note({ kinds: 'cut before the commit', endings: ending });
          return ending !== undefined;
        });
      }
      met.record(bench);
    },
  });
}

/** The first of the first chunk, the middle of the second and the last of the last; or those of the only one. */
function tellingPlaces(all: Position[]): Position[] {
  return all.length > 3 ? all.filter((_, i) => i % 4 === 0) : all;
}

/** Writes the items under a fault that happens once; how that ended, or undefined when the fault was not met. */
async function once<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  fault: Extract<Fault, { at: 'row' | 'cut' }>,
): Promise<string | undefined> {
  const armed = await rig.lease.arm(fault);
  const written = await w.write(rig, items);
  const { count } = await armed.sprung();
  await armed.disarm();
  bench.record('faults raised', count);
  if (count === 0) return undefined;
  const answerLost = fault.at === 'cut' || fault.kind === 'session-ended';
  const how =
    fault.at === 'cut' ? 'whose connection was cut once' : `whose row ${fault.nth} failed once (${fault.kind})`;
  const came = await mustBeTrue(bench, w, rig, items, written, `a batch ${how}`, { answerLost });
  if (came.failed) return 'reported';
  return 'stored by another try';
}
