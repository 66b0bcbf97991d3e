import type { Lease } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, Vacuous, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { givenInstant } from '../instants.ts';
import { byMember, materialized, members, mustTell, setScene, slotsFor, windowOf } from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';

export const storageEnforcesTheSlot: Guard = guard({
  id: 'materialize-window/storage-enforces-the-slot',
  statement:
    'Another session cannot insert a second child of one schedule and slot: the engine refuses it. The backend tells of a slot that is taken so as of any other.',
  needs: ['uniqueSlot', 'lock'],
  proves: ['children inserted', 'second inserts'],
  async check(bench) {
    const statement = addChildOf(bench);
    for (const member of members) {
      await bench.case(member, async () => {
        const scene = await setScene(bench);
        const { rig, schedule, slots } = scene;
        const { at } = slots[0]!;
        const first = await inserted(rig.lease, statement, [schedule.id, at]);
        if ('refused' in first)
          throw new Vacuous(`addChild, for a free slot, was refused by the engine: ${first.refused}`);
        const there = (await childrenAt(bench, scene, at)).length;
        if (there !== 1) throw new Vacuous(`addChild, for a free slot, left ${count(there, 'child rows')} in it`);
        bench.record('children inserted', 1);
        const second = await inserted(rig.lease, statement, [schedule.id, at]);
        bench.record('second inserts', 1);
        const now = (await childrenAt(bench, scene, at)).length;
        if ('rows' in second || now !== 1) {
          throw new Violation(
            `a second child of ${schedule.id} for the slot ${at} was inserted by ${short(statement.trim().replaceAll(/\s+/g, ' '), 120)}: ` +
              `the engine has to refuse it, and ${count(now, 'child rows')} are there`,
          );
        }
        const window = windowOf(scene);
        const { outcomes } = await materialized(scene, member, window);
        const asked = slotsFor(member, window);
        const expected = asked.map((_, slot) => (slot === 0 ? 'already-exists' : 'created'));
        mustTell(asked, outcomes, expected, `${byMember[member]} whose first slot another session has taken`);
      });
    }
  },
});

/** The statement by which another session takes a slot. */
export function addChildOf({ statements }: Bench): string {
  if (statements.addChild !== undefined) return statements.addChild;
  throw new NotApplicable('backend', 'it gives no statement addChild, by which another session takes a slot');
}

/** Runs an insert as another session. */
async function inserted(
  lease: Lease,
  statement: string,
  parameters: string[],
): Promise<{ rows: number } | { refused: string }> {
  const transaction = await lease.begin();
  try {
    const rows = await transaction.run(statement, parameters);
    await transaction.commit();
    return { rows };
  } catch (error) {
    await transaction.rollback();
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function childrenAt(bench: Bench, scene: Parameters<typeof storedOf>[0], at: string) {
  const slotAt = givenInstant(at, bench.declaration.timeResolution);
  return (await storedOf(scene)).children.filter((child) => child.slotAt === slotAt);
}
