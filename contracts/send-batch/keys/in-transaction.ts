import { type Bench, Vacuous } from '../../kernel/guard.ts';
import { failureOf } from '../../kernel/writes.ts';
import { beginIfAble, mustStep } from '../held/callers.ts';
import { sendWrites as w } from '../writes.ts';
import { type Held, keyed } from './keyed.ts';
import { mustFollowThePolicy } from './policy.ts';

/** A key is taken for a batch in the caller's transaction when he has taken it there, though nobody else sees it yet. */
export async function mustSeeTheCallersKeys(bench: Bench, size: number, taken: readonly number[]): Promise<void> {
  const rig = await bench.open();
  const transaction = await beginIfAble(rig);
  if (!transaction) return;
  const batch = keyed(bench, size);
  const earlier = taken.map((slot) => batch[slot]!).reverse();
  const first = await w.write(rig, earlier, { transaction });
  // That a batch in a transaction is stored at all is for other guards.
  if (failureOf(first)) return;
  const held = earlier.map((message, i): Held => {
    const outcome = first.outcomes![i]!;
    if (!('stored' in outcome) || outcome.stored === null) throw new Vacuous('a key was taken under no id');
    return { message, id: outcome.stored };
  });
  bench.record('keys found stored before', held.length);
  const written = await w.write(rig, batch, { transaction });
  // A failure of the batch is told before one of the commit that follows from it.
  const committed = await transaction.commit();
  const what = `a batch in the caller's transaction with ${held.length} of its ${size} keys taken in it`;
  await mustFollowThePolicy(bench, rig, held, batch, written, what);
  mustStep(committed, "the caller's commit");
  bench.record('messages told', batch.length);
}
