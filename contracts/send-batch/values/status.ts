import { mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';

export const statusRowPerMessage: Guard = guard({
  id: 'send-batch/status-row-per-message',
  statement:
    'With a status table there is exactly one row for each message, in the state of a single send; without one there is none.',
  proves: ['status tables read'],
  async check(bench) {
    if (!bench.statements.statuses) throw new NotApplicable('backend', 'it shows no status table (statuses)');
    const alone = await bench.open();
    const one = messages(bench, 1);
    mustSucceed(w, one, await w.writeOne(alone, one[0]!), 'a single send');
    const waiting = (await statuses(alone))[0]?.status;

    const rig = await bench.open();
    const batch = messages(bench, severalChunks(bench));
    mustSucceed(w, batch, await w.write(rig, batch), 'a batch');
    const stored = await mustHaveStoredAll(bench, w, rig, batch, 'a batch');
    const rows = await statuses(rig);
    bench.record('status tables read', 1);
    if (!bench.declaration.extras.includes('statusTable')) {
      if (rows.length > 0)
        throw new Violation(`statusTable is not claimed, yet ${count(rows.length, 'rows')} were written to it`);
      return;
    }
    const slots = batch.map((message, slot): SlotLine => {
      const own = rows.filter((row) => String(row.messageId) === stored[slot]!.id);
      const right = own.length === 1 && own[0]!.status === waiting;
      const found = own.map((row) => String(row.status)).join(', ') || 'no row';
      return {
        slot,
        mark: right ? 'ok' : own.length === 0 ? 'lost' : 'wrong',
        sent: w.print(message),
        expected: String(waiting),
        stored: found,
      };
    });
    const bad = slots.filter((s) => s.mark !== 'ok');
    if (bad.length > 0) {
      throw new Violation(
        `${bad.length} of ${count(batch.length, 'messages')} have not exactly one status row that says ${String(waiting)}; first in slot ${bad[0]!.slot}: ${bad[0]!.stored}`,
        {
          input: count(batch.length, 'messages'),
          slots,
        },
      );
    }
    if (rows.length !== batch.length)
      throw new Violation(`${count(batch.length, 'messages')} have ${count(rows.length, 'status rows')}`);
  },
});

async function statuses(rig: Rig): Promise<Record<string, unknown>[]> {
  const found = await rig.read('statuses');
  if ('missing' in found) throw new Violation(`the status table is not there: ${found.missing}`);
  return found.rows;
}
