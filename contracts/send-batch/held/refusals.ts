import { mustFail, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { Snapshot } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { grown, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendBatchWith, sendWrites as w } from '../writes.ts';
import { begun, callersRig, mustStep, transactionsHold } from './callers.ts';

export const heldForeignOrClosedIsRefused: Guard = guard({
  id: 'send-batch/held-foreign-or-closed-is-refused',
  statement:
    "A batch that is handed a transaction which has ended, or is another database's, or is none, is refused before any write.",
  needs: ['transaction'],
  proves: ["callers' rows written", 'handles refused', 'controls stored'],
  async check(bench) {
    await transactionsHold(bench);
    for (const end of ['commit', 'rollback'] as const) {
      await bench.case(`after-its-${end}`, async () => {
        const { rig, own } = await callersRig(bench);
        const transaction = await begun(bench, rig, own, 'earlier');
        mustStep(await transaction[end](), `the caller's ${end}`);
        const what = `a batch in a transaction that has ended by a ${end}`;
        await mustRefuse(bench, rig, what, (batch) => w.write(rig, batch, { transaction }));
      });
    }
    await bench.case('of-another-database', async () => {
      const rig = await bench.open();
      const other = await callersRig(bench);
      const transaction = await begun(bench, other.rig, other.own, 'elsewhere');
      const what = 'a batch in a transaction on another database';
      const elsewhere = await mustRefuse(bench, rig, what, (batch) => w.write(rig, batch, { transaction }));
      await transaction.commit();
      await other.rig.quiet();
      const stray = (await w.stored(bench, other.rig)).length;
      if (stray > 0) throw new Violation(`${what} was refused, yet ${stray} of its ${elsewhere} rows are stored there`);
    });
    for (const [name, handle] of Object.entries({ object: {}, text: 'transaction', number: 1 })) {
      await bench.case(`none-but-${name}`, async () => {
        const rig = await bench.open();
        const what = `a batch whose transaction is ${short(handle)}`;
        await mustRefuse(bench, rig, what, (batch) => sendBatchWith(rig, batch, { transaction: handle }));
      });
    }
  },
});

/** Sends a batch that must be refused before any write, and then one that must not; returns how many messages it had. */
async function mustRefuse(
  bench: Bench,
  rig: Rig,
  what: string,
  send: (batch: Message[]) => Promise<Written>,
): Promise<number> {
  const batch = messages(bench, severalChunks(bench));
  const before = await rig.lease.snapshot();
  const written = await send(batch);
  bench.record('handles refused', 1);
  mustFail(w, batch, written, what);
  await rig.quiet();
  mustBeAsBefore(before, await rig.lease.snapshot(), what);
  await premise('the same batch in a transaction that is open', async () => {
    const transaction = await rig.subject.begin();
    mustSucceed(w, batch, await w.write(rig, batch, { transaction }), 'it');
    mustStep(await transaction.commit(), "the caller's commit");
    await mustHaveStoredAll(bench, w, rig, batch, 'it');
  });
  bench.record('controls stored', 1);
  return batch.length;
}

function mustBeAsBefore(before: Snapshot, after: Snapshot, what: string): void {
  const more = grown(before, after);
  if (Object.keys(more).length > 0)
    throw new Violation(`${what} was refused only after rows were written: ${short(more)}`);
}
