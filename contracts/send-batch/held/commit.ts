import { type Bench, type Guard, guard } from '../../kernel/guard.ts';
import { leftBy, mustHaveLeft } from '../left.ts';
import { mustStep, transactionsHold } from './callers.ts';
import { sendIn, type Way, waysToSend } from './ways.ts';

export const heldCommitKeepsAll: Guard = guard({
  id: 'send-batch/held-commit-keeps-all',
  statement:
    'When the caller commits, all is there that the same messages leave without a transaction: every value, and the rows of every table.',
  needs: ['transaction'],
  proves: ['batches committed by the caller', 'messages compared', 'tables compared'],
  async check(bench) {
    await transactionsHold(bench);
    for (const way of waysToSend(bench)) await bench.case(way.name, () => mustKeepAll(bench, way));
  },
});

/** Sends the messages on one lease without a transaction, and on another in one. */
async function mustKeepAll(bench: Bench, way: Way): Promise<void> {
  const alone = await bench.open();
  const empty = await alone.lease.snapshot();
  const without = await sendIn(alone, way);
  if (!without) return bench.record('refused without a transaction', way.name);
  const expected = await leftBy(bench, alone, empty, without, way.what);

  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  const begunAt = Date.now();
  const transaction = await rig.subject.begin();
  const sent = await sendIn(rig, way, transaction);
  if (!sent) {
    await transaction.rollback();
    return bench.record('refused in a transaction', way.name);
  }
  mustStep(await transaction.commit(), `the caller's commit after ${way.what}`);
  const what = `${way.what} in the caller's transaction, which he has committed`;
  // The clock of an engine may stand still from the begin of a transaction on.
  const since = sent.map(({ batch, by }) => ({ batch, by: { ...by, startedAt: begunAt } }));
  const found = await leftBy(bench, rig, before, since, what);
  await mustHaveLeft(bench, found, expected, what, 'without a transaction');
  bench.record('batches committed by the caller', sent.length);
  bench.record('messages compared', found.messages.length);
  bench.record('tables compared', Object.keys(expected.tables).join(', '));
}
