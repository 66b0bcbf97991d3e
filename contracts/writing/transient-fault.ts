import type { Fault, RowFaultKind } from '../kernel/engine.ts';
import { type Bench, type Guard, guard } from '../kernel/guard.ts';
import { type Position, positions, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import type { Writes } from '../kernel/writes.ts';

/** Kinds that a backend may take for worth another try, the likeliest first. */
const temptations: readonly RowFaultKind[] = ['serialization', 'trigger', 'session-ended', 'unique', 'check'];

export function transientFaultEndsWhole<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/transient-fault-ends-whole`,
    statement:
      'After a fault that happens once, whether the backend tries again or reports it, all items are stored once with true outcomes, or none is.',
    needs: ['rowFault'],
    proves: ['faults raised', 'kinds', 'places'],
    async check(bench) {
      const size = severalChunks(bench);
      const items = w.items(bench, size);
      const [table, rows] = Object.entries(await tablesWritten(bench, w, items))[0]!;
      const { rowFaults } = await bench.lease();
      const kinds = temptations.filter((kind) => rowFaults.includes(kind));
      const met: Met = { kinds: new Set(), places: new Set() };
      const places = tellingPlaces(positions(bench, size));
      for (let i = 0; i < Math.max(kinds.length, places.length); i++) {
        const kind = kinds[i % kinds.length]!;
        const place = places[i % places.length]!;
        const nth = rowAt(place.slot, size, rows);
        await bench.case(`${kind}-${place.name}`, async () => {
          const sprang = await once(bench, w, items, { at: 'row', table, nth, kind, once: true });
          if (sprang) met.kinds.add(kind) && met.places.add(place.name);
        });
      }
      if (bench.facts.lacks.cut === undefined) {
        await bench.case('cut-before-the-commit', async () => {
          await once(bench, w, items, { at: 'cut', point: { commit: 'before-sent' } });
        });
      }
      bench.record('kinds', [...met.kinds].join(', '));
      bench.record('places', [...met.places].join(', '));
    },
  });
}

interface Met {
  kinds: Set<string>;
  places: Set<string>;
}

/** The first of the first chunk, the middle of the second and the last of the last; or those of the only one. */
function tellingPlaces(all: Position[]): Position[] {
  return all.length > 3 ? all.filter((_, i) => i % 4 === 0) : all;
}

/** Writes the items under a fault that happens once; whether it did. */
async function once<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[], fault: Fault): Promise<boolean> {
  const rig = await bench.open();
  const armed = await rig.lease.arm(fault);
  const written = await w.write(rig, items);
  const { count } = await armed.sprung();
  await armed.disarm();
  bench.record('faults raised', count);
  if (count === 0) return false;
  const lost = fault.at === 'cut' || (fault.at === 'row' && fault.kind === 'session-ended');
  const how =
    fault.at === 'row' ? `whose row ${fault.nth} failed once (${fault.kind})` : 'whose connection was cut once';
  const came = await mustBeTrue(bench, w, rig, items, written, `a batch ${how}`, { answerLost: lost });
  bench.record(came.failed ? 'batches reported as failed' : 'batches stored after another try', 1);
  return true;
}
