import { mustSucceed, premise } from '../../kernel/checks.ts';
import { type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const emptyBatchSendsNothing: Guard = guard({
  id: 'send-batch/empty-batch-sends-nothing',
  level: 'should',
  statement: 'For an empty batch nothing is sent to the engine, not even the begin of a transaction.',
  needs: ['trace'],
  proves: ['empty batches watched', 'statements of a batch of one'],
  async check(bench) {
    const inside = bench.declaration.offers.includes('transaction');
    for (const where of inside ? ['alone', 'in-the-callers-transaction'] : ['alone']) {
      await bench.case(where, async () => {
        const rig = await bench.open();
        const transaction = where === 'alone' ? undefined : await rig.subject.begin();
        const send = (batch: Message[]) => w.write(rig, batch, transaction ? { transaction } : {});
        const one = messages(bench, 1);
        const control = await rig.lease.watch();
        const written = await send(one);
        bench.record('statements of a batch of one', (await control.stop()).statements.length);
        await premise('a batch of one', () => mustSucceed(w, one, written, 'it'));
        // An open transaction is not quiet.
        if (!transaction) await rig.quiet();
        const watch = await rig.lease.watch();
        await send([]);
        const sent = (await watch.stop()).statements;
        bench.record('empty batches watched', 1);
        if (sent.length === 0) return;
        const texts = sent.map(({ text }) => `"${text}"`).join(', ');
        throw new Violation(`an empty batch sent ${count(sent.length, 'statements')} to the engine: ${texts}`);
      });
    }
  },
});
