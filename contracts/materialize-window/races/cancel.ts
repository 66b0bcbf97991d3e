import { type Bench, type Guard, guard, NotApplicable, Vacuous, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import {
  byMember,
  earlierRuns,
  type Member,
  members,
  mustTell,
  setScene,
  slotsFor,
  windowOf,
} from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';
import { readState } from '../state.ts';
import { asked, changesOne, isRetryable, meeting, resultOf } from './meeting.ts';

export const cancelWhileWaitingWins: Guard = guard({
  id: 'materialize-window/cancel-while-waiting-wins',
  statement:
    'When a cancel commits while a call waits for the schedule, the call is told parent-inactive for every slot and writes nothing; when it is rolled back, every slot is created.',
  needs: ['lock'],
  needsThread: true,
  proves: ['cancels committed', 'cancels rolled back', 'calls seen to wait'],
  async check(bench) {
    const { cancel } = bench.statements;
    if (cancel === undefined)
      throw new NotApplicable('backend', 'it gives no statement cancel, by which another session cancels a schedule');
    await mustCancel(bench, cancel);
    for (const member of members) {
      await bench.case(`${member}-committed`, () => meetsCancel(bench, cancel, member, 'commit'));
      await bench.case(`${member}-rolled-back`, () => meetsCancel(bench, cancel, member, 'rollback'));
    }
  },
});

/** The guard has nothing to say unless the statement, alone, cancels a schedule. */
async function mustCancel(bench: Bench, cancel: string): Promise<void> {
  const scene = await setScene(bench);
  const transaction = await scene.rig.lease.begin();
  await changesOne(transaction, 'cancel', cancel, [scene.schedule.id]);
  await transaction.commit();
  const { status } = (await storedOf(scene)).schedule;
  if (status !== 'cancelled') throw new Vacuous(`the statement cancel left the schedule ${status}, not cancelled`);
}

async function meetsCancel(bench: Bench, cancel: string, member: Member, end: 'commit' | 'rollback'): Promise<void> {
  const scene = await setScene(bench);
  const { rig, schedule } = scene;
  const window = windowOf(scene);
  const slots = slotsFor(member, window);
  const transaction = await rig.lease.begin();
  await changesOne(transaction, 'cancel', cancel, [schedule.id]);
  const { came, waited } = await meeting(transaction, end, () => asked(bench, rig, member, window));
  if (!waited && isRetryable(came))
    throw new NotApplicable(
      'backend',
      'a call that meets a lock fails at once, and is to be made again: it never waits',
    );
  if (waited) bench.record('calls seen to wait', 1);
  const ended = end === 'commit' ? 'committed' : 'rolled back';
  const what = `${byMember[member]} that met a cancel, which was ${ended} while it waited`;
  const { outcomes } = resultOf(came, `${what},`);
  bench.record(`cancels ${ended}`, 1);
  const loses = end === 'commit';
  mustTell(slots, outcomes, Array(slots.length).fill(loses ? 'parent-inactive' : 'created'), what);
  const created = loses ? 0 : slots.length;
  const stored = await storedOf(scene);
  if (stored.children.length !== created)
    throw new Violation(`${what}, left ${count(stored.children.length, 'child rows')}, expected ${created}`);
  const audits = (await readState(bench, rig)).audits?.filter((row) => row.schedule === schedule.id) ?? [];
  if (loses && audits.length > 0) throw new Violation(`${what}, left ${count(audits.length, 'rows')} in the audit`);
  const { status, runs } = stored.schedule;
  const expected = { status: loses ? 'cancelled' : 'active', runs: earlierRuns + created };
  if (status !== expected.status)
    throw new Violation(`${what}, left the schedule ${status}, expected ${expected.status}`);
  if (runs !== expected.runs) throw new Violation(`${what}, left the run count at ${runs}, expected ${expected.runs}`);
}
