import { type Bench, NotApplicable, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { givenInstant } from '../instants.ts';
import { byMember, type Member, mustTell, setScene, slotsFor, windowOf } from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';
import { asked, changesOne, isRetryable, meeting, resultOf } from './meeting.ts';

/**
 * Another session takes the first slot of a window in a transaction that is open while the call comes: rolled back, the
 * slot is the caller's; committed, it is taken.
 */
export async function meetsHolder(
  bench: Bench,
  addChild: string,
  member: Member,
  end: 'commit' | 'rollback',
): Promise<void> {
  const scene = await setScene(bench);
  const { rig, schedule } = scene;
  const window = windowOf(scene);
  const slots = slotsFor(member, window);
  const transaction = await rig.lease.begin();
  await changesOne(transaction, 'addChild', addChild, [schedule.id, slots[0]!.at]);
  const { came, waited } = await meeting(transaction, end, () => asked(bench, rig, member, window));
  bench.record('calls seen to wait', waited ? 1 : 0);
  const what = `${byMember[member]} whose first slot another session held, and then ${end === 'commit' ? 'took' : 'gave up'}`;
  if (!waited && isRetryable(came))
    throw new NotApplicable('backend', 'a call that meets a slot that is held fails at once: it never waits');
  const { outcomes } = resultOf(came, `${what},`);
  const first = end === 'commit' ? 'already-exists' : 'created';
  mustTell(slots, outcomes, [first, ...Array(slots.length - 1).fill('created')], what);
  const slotAt = givenInstant(slots[0]!.at, bench.declaration.timeResolution);
  const there = (await storedOf(scene)).children.filter((child) => child.slotAt === slotAt).length;
  if (there !== 1) throw new Violation(`${what}, left ${count(there, 'child rows')} in that slot, expected 1`);
}
