import type { RowFaultKind } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { rowAt } from '../../kernel/tables.ts';
import { grown } from '../../kernel/writes.ts';
import { materialize, materializeWindow } from '../calls.ts';
import { type Member, materialized, members, mustBeServed, setScene, slotsFor, windowOf } from '../parent/scene.ts';
import { mustWriteNothing } from '../parent/stored.ts';

/** A violation of a constraint that is not the slot's. */
const kind: RowFaultKind = 'unique';

/** Slots of a window. */
const few = 5;

export const foreignConflictIsAnError: Guard = guard({
  id: 'materialize-window/foreign-conflict-is-an-error',
  statement:
    'A collision on a constraint that is not that of the slot fails the call and leaves nothing; it is never told as already-exists.',
  needs: ['rowFault'],
  proves: ['collisions raised', 'controls served'],
  async check(bench) {
    const lease = await bench.lease();
    if (!lease.rowFaults.includes(kind)) {
      throw new NotApplicable(
        'engine',
        `${bench.facts.provider} cannot be made to refuse a row by a unique constraint`,
      );
    }
    // A window that is not atomic may leave what it had written before the collision.
    const wholeMembers = members.filter(
      (member) => member === 'single' || bench.declaration.givesUp.atomic === undefined,
    );
    for (const member of wholeMembers) {
      for (const [table, rows] of Object.entries(await tablesOf(bench, member))) {
        for (const [place, slot] of Object.entries(placesOf(member))) {
          await bench.case(`${member}-${table}-${place}`, () => {
            const nth = rowAt(slot, slotsOf(member), rows);
            return mustFail(bench, member, table, nth, `a row of ${table}, the ${place} one,`);
          });
        }
      }
    }
  },
});

function slotsOf(member: Member): number {
  return member === 'bulk' ? few : 1;
}

function placesOf(member: Member): Record<string, number> {
  return member === 'bulk' ? { first: 0, middle: 2, last: few - 1 } : { first: 0 };
}

/** The tables that get rows, and how many. */
async function tablesOf(bench: Bench, member: Member): Promise<Record<string, number>> {
  const scene = await setScene(bench, { slots: few });
  const before = await scene.rig.lease.snapshot();
  await materialized(scene, member, windowOf(scene));
  const tables = grown(before, await scene.rig.lease.snapshot());
  if (Object.keys(tables).length > 0) return tables;
  throw new Violation('free slots were materialized, and no table of the engine has got a row');
}

async function mustFail(bench: Bench, member: Member, table: string, nth: number, which: string): Promise<void> {
  const scene = await setScene(bench, { slots: few });
  const { rig } = scene;
  const { slots, ...expected } = windowOf(scene);
  const what = `${member === 'bulk' ? 'a window' : 'a single slot'} of which the engine refused ${which} by another constraint`;
  const fault = await rig.lease.arm({ at: 'row', table, nth, kind });
  const settled = await mustWriteNothing(
    scene,
    what,
    () =>
      member === 'bulk'
        ? materializeWindow(bench, rig, { ...expected, slots })
        : materialize(rig, { ...expected, slot: slots[0]! }),
    slotsFor(member, { ...expected, slots }),
  );
  await fault.disarm();
  bench.record('collisions raised', (await fault.sprung()).count);
  if (!('threw' in settled)) throw new Violation(`${what} was told as ${short(settled.value, 120)}; it has to fail`);
  await mustBeServed(scene, member);
  bench.record('controls served', 1);
}
