import { byToken, mustFail, mustHaveStoredAll, mustHaveStoredNothing, mustSucceed } from '../../kernel/checks.ts';
import type { Snapshot } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, type HeldTransaction, type Rig, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { grown, type Shape } from '../../kernel/writes.ts';
import { messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import {
  begun,
  type CallersRig,
  callersRig,
  insertOwn,
  look,
  mustShow,
  mustStep,
  transactionsHold,
} from './callers.ts';
import { sendIn, waysToSend } from './ways.ts';

const inHis = "a batch in the caller's transaction";

export const heldRowsWaitForTheCallersCommit: Guard = guard({
  id: 'send-batch/held-rows-wait-for-the-callers-commit',
  statement:
    "Of a batch in a caller's transaction nobody else sees anything before the caller commits, nor of what the caller wrote before it.",
  needs: ['transaction', 'observer'],
  proves: ["callers' rows written", 'looks by another reader', 'batches committed by the caller'],
  async check(bench) {
    await transactionsHold(bench);
    for (const shape of ['full', 'mixed'] satisfies Shape[]) {
      await bench.case(shape, async () => {
        const { rig, own } = await callersRig(bench);
        const batch = messages(bench, severalChunks(bench), shape);
        const before = await rig.lease.snapshot();
        const transaction = await begun(bench, rig, own, 'earlier');
        mustSucceed(w, batch, await w.write(rig, batch, { transaction }), inHis);
        const tables = await look(() => rig.lease.snapshot());
        bench.record('looks by another reader', 1);
        bench.record(
          'the reader',
          tables === 'refused' ? 'was kept out by the lock of the engine' : 'saw what is committed',
        );
        if (tables !== 'refused') {
          mustShowNone(batch, await w.stored(bench, rig));
          await mustShow(own, [], "before the caller's commit");
          const more = grown(before, tables);
          if (Object.keys(more).length > 0)
            throw new Violation(`before the caller's commit another reader sees rows of ${inHis}: ${short(more)}`);
        }
        mustStep(await transaction.commit(), "the caller's commit after the batch");
        await mustHaveStoredAll(bench, w, rig, batch, `${inHis}, which he has committed`);
        await mustShow(own, ['earlier'], "after the caller's commit");
        bench.record('batches committed by the caller', 1);
        // What a reader was kept from seeing, a rollback tells: what was committed early stays.
        if (tables !== 'refused') return;
        const another = await begun(bench, rig, own, 'second');
        const others = messages(bench, batch.length, shape);
        mustSucceed(w, others, await w.write(rig, others, { transaction: another }), inHis);
        mustStep(await another.rollback(), "the caller's rollback after the batch");
        await mustShow(own, ['earlier'], "after the rollback of another transaction of the caller's");
        await mustBeGone(bench, rig, others);
      });
    }
  },
});

function mustShowNone(batch: readonly Message[], seen: Parameters<typeof byToken>[0]): void {
  const there = byToken(seen);
  const rows = batch.map((message) => there.get(w.token(message))?.length ?? 0);
  const early = rows.filter((n) => n > 0).length;
  if (early === 0) return;
  throw new Violation(
    `another reader sees ${early} of ${count(batch.length, w.noun)} before the caller has committed`,
    {
      input: `${count(batch.length, w.noun)} in a transaction that is still open`,
      slots: batch.map((message, slot) => ({
        slot,
        mark: rows[slot] === 0 ? 'ok' : 'wrong',
        sent: w.print(message),
        expected: 'nothing yet',
        stored: rows[slot] === 0 ? 'nothing' : count(rows[slot]!, 'rows'),
      })),
    },
  );
}

export const heldRollbackRemovesAll: Guard = guard({
  id: 'send-batch/held-rollback-removes-all',
  statement:
    'When the caller rolls his transaction back, nothing of a batch or a single send in it is left in any table.',
  needs: ['transaction'],
  proves: ["callers' rows written", 'batches rolled back by the caller', 'tables looked at'],
  async check(bench) {
    await transactionsHold(bench);
    const size = severalChunks(bench);
    const tables = Object.keys(await tablesWritten(bench, w, messages(bench, size)));
    bench.record('tables looked at', tables.join(', '));
    for (const way of waysToSend(bench)) {
      await bench.case(way.name, async () => {
        const { rig } = await callersRig(bench);
        const before = await rig.lease.snapshot();
        // What becomes of the caller's own rows is for another guard.
        const transaction = await rig.subject.begin();
        const sent = await sendIn(rig, way, transaction);
        mustStep(await transaction.rollback(), `the caller's rollback after ${way.what}`);
        await rig.quiet();
        await mustBeGone(bench, rig, way.batches.flat());
        mustHaveNoMore(before, await rig.lease.snapshot(), way.what);
        if (sent) bench.record('batches rolled back by the caller', sent.length);
        else bench.record('refused in a transaction', way.name);
      });
    }
  },
});

function mustHaveNoMore(before: Snapshot, after: Snapshot, what: string): void {
  const more = grown(before, after);
  if (Object.keys(more).length === 0) return;
  throw new Violation(`the caller has rolled back, yet rows of ${what} are left: ${short(more)}`);
}

async function mustBeGone(bench: Bench, rig: Rig, batch: readonly Message[]): Promise<void> {
  const there = byToken(await w.stored(bench, rig));
  const left = batch.filter((message) => there.has(w.token(message))).length;
  if (left === 0) return;
  throw new Violation(`the caller has rolled back, yet ${left} of ${count(batch.length, w.noun)} are stored`);
}

export const heldTransactionStaysTheCallers: Guard = guard({
  id: 'send-batch/held-transaction-stays-the-callers',
  statement:
    "A batch in a caller's transaction, stored or failed, neither commits it nor rolls it back nor closes it: the caller goes on in it, and ends it himself.",
  needs: ['transaction'],
  proves: ["callers' rows written", 'transactions ended by the caller'],
  async check(bench) {
    await transactionsHold(bench);
    const size = severalChunks(bench);
    await bench.case('stored-then-committed', async () => {
      const { rig, own } = await callersRig(bench);
      const batch = messages(bench, size);
      const transaction = await begun(bench, rig, own, 'earlier');
      mustSucceed(w, batch, await w.write(rig, batch, { transaction }), inHis);
      await insertOwn(bench, own, transaction, 'later');
      mustStep(await transaction.commit(), "the caller's commit after the batch");
      await mustShow(own, ['earlier', 'later'], "after the caller's commit");
      await mustHaveStoredAll(bench, w, rig, batch, `${inHis}, which he has committed`);
      bench.record('transactions ended by the caller', 1);
    });
    await bench.case('stored-then-rolled-back', async () => {
      const { rig, own } = await callersRig(bench);
      const batch = messages(bench, size);
      const transaction = await begun(bench, rig, own, 'earlier');
      mustSucceed(w, batch, await w.write(rig, batch, { transaction }), inHis);
      await insertOwn(bench, own, transaction, 'later');
      mustStep(await transaction.rollback(), "the caller's rollback after the batch");
      await mustShow(own, [], "after the caller's rollback");
      bench.record('transactions ended by the caller', 1);
    });
    await bench.case('refused-then-committed', async () => {
      const { rig, own } = await callersRig(bench);
      const batch = messages(bench, size).with(size - 1, w.unreadable(messages(bench, 1)[0]!));
      const transaction = await begun(bench, rig, own, 'earlier');
      const what = "a batch with an unreadable body in the caller's transaction";
      mustFail(w, batch, await w.write(rig, batch, { transaction }), what);
      await insertOwn(bench, own, transaction, 'later');
      mustStep(await transaction.commit(), "the caller's commit after a batch that was refused");
      await mustShow(own, ['earlier', 'later'], "after the caller's commit");
      await mustHaveStoredNothing(bench, w, rig, batch, what);
      bench.record('transactions ended by the caller', 1);
    });
    const caught = ['failed-then-rolled-back', 'failed-then-committed', 'every-offer-failed-then-committed'] as const;
    for (const name of caught) bench.leaveOut(name, bench.facts.lacks.rowFault);
    if (bench.facts.lacks.rowFault !== undefined) return;
    const [table, rows] = Object.entries(await tablesWritten(bench, w, messages(bench, size)))[0]!;
    const failed = async (
      { rig, own }: CallersRig,
      batch: readonly Message[] = messages(bench, size),
    ): Promise<HeldTransaction> => {
      const fault = await rig.lease.arm({ at: 'row', table, nth: Math.ceil(rows / 2), kind: 'trigger' });
      const transaction = await begun(bench, rig, own, 'earlier');
      const written = await w.write(rig, batch, { transaction });
      await fault.sprung();
      mustFail(w, batch, written, "a batch in the caller's transaction, one row of which the engine refused,");
      return transaction;
    };
    await bench.case(caught[0], async () => {
      const there = await callersRig(bench);
      const transaction = await failed(there);
      // The engine may have ended it; the caller's own word ends it all the same.
      mustStep(await transaction.rollback(), "the caller's rollback after a batch that failed");
      await mustShow(there.own, [], "after the caller's rollback");
      bench.record('transactions ended by the caller', 1);
    });
    /** Whether the caller could go on, and did; where errors end transactions, that may be refused. */
    const goesOn = async (mayEnd: boolean, batch?: readonly Message[]): Promise<boolean> => {
      const there = await callersRig(bench);
      const transaction = await failed(there, batch);
      const later = await transaction.run(there.own.insert('later'));
      bench.record('transactions ended by the caller', 1);
      if (mayEnd && 'threw' in later) {
        mustStep(await transaction.rollback(), "the caller's rollback after a batch that failed");
        await mustShow(there.own, [], "after the caller's rollback");
        return false;
      }
      mustStep(later, "the caller's statement after a batch that failed");
      mustStep(await transaction.commit(), "the caller's commit after a batch that failed");
      await mustShow(there.own, ['earlier', 'later'], "after a batch that failed and the caller's commit");
      return true;
    };
    let undoesItsPart = false;
    await bench.case(caught[1], async () => {
      undoesItsPart = await goesOn(await errorsEndTransactions(bench));
    });
    await bench.case(caught[2], async () => {
      // Who undoes his part of the transaction undoes it whatever the messages ask for.
      await goesOn(!undoesItsPart, withEveryOffer(bench, messages(bench, size)));
    });
  },
});

/** Whether the engine takes no further statement in a transaction after one that it has refused. */
async function errorsEndTransactions(bench: Bench): Promise<boolean> {
  const { rig, own } = await callersRig(bench);
  const transaction = await begun(bench, rig, own, 'earlier');
  const refused = await transaction.run('no statement of any engine');
  const next = await transaction.run(own.insert('later'));
  await transaction.rollback();
  return 'threw' in refused && 'threw' in next;
}
