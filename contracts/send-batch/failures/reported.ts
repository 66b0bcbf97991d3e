import {
  failureText,
  mustCount,
  mustFail,
  mustHaveStoredAll,
  mustHaveStoredNothing,
  mustSucceed,
  premise,
} from '../../kernel/checks.ts';
import { type Guard, guard, Violation } from '../../kernel/guard.ts';
import { failureMentions } from '../../kernel/outcome.ts';
import { count, short } from '../../kernel/print.ts';
import { positions, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import type { Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';

export const everyOutcomeReportsTheFailure: Guard = guard({
  id: 'send-batch/every-outcome-reports-the-failure',
  statement:
    'When a batch fails, all N outcomes (or the throw, as declared) carry or cause the error: never fewer than N, never a mix.',
  needs: ['atomic', 'rowFault'],
  proves: ['faults raised', 'outcomes read'],
  async check(bench) {
    const size = severalChunks(bench);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, messages(bench, size)))[0]!;
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const batch = messages(bench, size);
        const nth = 1 + Math.floor((slot * (rows - 1)) / Math.max(1, size - 1));
        const fault = await rig.lease.arm({ at: 'row', table, nth, kind: 'trigger' });
        const written = await w.write(rig, batch);
        const sprung = await fault.sprung();
        bench.record('faults raised', sprung.raised);
        bench.record('outcomes read', written.outcomes?.length ?? 1);
        mustReport(written, size, fault.nonce, bench.declaration.onFailure);
      });
    }
  },
});

function mustReport(written: Written, size: number, nonce: string, declared: 'outcomes' | 'throws'): void {
  if (declared === 'throws') {
    if (!written.threw) {
      throw new Violation(
        `a failed batch is declared to throw, but it returned ${written.malformed ?? short(written.outcomes?.[0])} for its first message`,
      );
    }
    if (!failureMentions(written.threw, nonce)) {
      throw new Violation(
        `the error that was thrown neither carries nor causes the engine's (${nonce}): ${failureText(written.threw)}`,
      );
    }
    return;
  }
  if (written.threw)
    throw new Violation(`a failed batch is declared to bring outcomes, but it threw ${failureText(written.threw)}`);
  if (!written.outcomes) throw new Violation(`a failed batch brought no outcomes: ${written.malformed}`);
  if (written.outcomes.length !== size) {
    throw new Violation(`a failed batch of ${size} brought ${count(written.outcomes.length, 'outcomes')}`);
  }
  for (const [slot, outcome] of written.outcomes.entries()) {
    if (!('failed' in outcome)) throw new Violation(`the batch failed, yet outcome ${slot} says ${short(outcome)}`);
    if (!failureMentions(outcome.failed, nonce)) {
      throw new Violation(
        `outcome ${slot} neither carries nor causes the engine's error (${nonce}): ${failureText(outcome.failed)}`,
      );
    }
  }
}

export const unserializableBodyFailsWhole: Guard = guard({
  id: 'send-batch/unserializable-body-fails-whole',
  statement:
    'One message whose body cannot be read fails the whole batch, wherever it stands; the others are not stored without it.',
  needs: ['atomic'],
  proves: ['unreadable bodies sent', 'controls stored'],
  async check(bench) {
    const size = severalChunks(bench);
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const good = messages(bench, size);
        const batch = good.map((message, i) => (i === slot ? w.unreadable(message) : message));
        const written = await w.write(rig, batch);
        bench.record('unreadable bodies sent', 1);
        const what = `a batch whose message ${slot} throws when its body is read`;
        mustFail(w, batch, written, what);
        if (written.outcomes) mustCount(w, batch, written, what);
        await mustHaveStoredNothing(bench, w, rig, batch, what);
        await premise('the same batch with that body readable', async () => {
          mustSucceed(w, good, await w.write(rig, good), 'it');
          await mustHaveStoredAll(bench, w, rig, good, 'it');
        });
        bench.record('controls stored', 1);
      });
    }
  },
});
