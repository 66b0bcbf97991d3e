import { byToken, failureText, mustFail, mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import type { ArmedFault, CallersTable } from '../../kernel/engine.ts';
import {
  type Bench,
  type Guard,
  guard,
  type HeldTransaction,
  type Rig,
  Vacuous,
  Violation,
} from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { positions, rowAt, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { begun, callersRig, mustShow, transactionsHold } from './callers.ts';

export const heldFailureThrows: Guard = guard({
  id: 'send-batch/held-failure-throws',
  statement:
    "A batch that fails in a caller's transaction throws, so that a caller who looks at no outcome does not commit.",
  needs: ['transaction'],
  proves: ["callers' rows written", 'batches that failed'],
  async check(bench) {
    await transactionsHold(bench);
    const size = severalChunks(bench);
    await bench.case('unreadable-body', async () => {
      const { rig, own } = await callersRig(bench);
      const batch = messages(bench, size);
      batch[size - 1] = w.unreadable(batch[size - 1]!);
      const transaction = await begun(bench, rig, own, 'earlier');
      const written = await w.write(rig, batch, { transaction });
      bench.record('batches that failed', 1);
      mustThrow(batch, written, 'a batch with an unreadable body');
    });
    bench.leaveOut('refused-by-the-engine', bench.facts.lacks.rowFault);
    if (bench.facts.lacks.rowFault !== undefined) return;
    const tables = Object.entries(await tablesWritten(bench, w, messages(bench, size)));
    const missed: string[] = [];
    for (const [table, rows] of tables) {
      for (const { name, slot } of positions(bench, size).filter(({ place }) => place !== 'middle')) {
        await bench.case(`${table}-${name}`, async () => {
          const { rig, own } = await callersRig(bench);
          const batch = messages(bench, size);
          const nth = rowAt(slot, size, rows);
          const fault = await rig.lease.arm({ at: 'row', table, nth, kind: 'trigger' });
          const transaction = await begun(bench, rig, own, 'earlier');
          const written = await w.write(rig, batch, { transaction });
          const { raised } = await fault.sprung();
          await transaction.rollback();
          await fault.disarm();
          if (raised > 0) {
            bench.record('batches that failed', raised);
            return mustThrow(batch, written, `a batch whose row ${nth} in ${table} the engine refused`);
          }
          const failure = failureOf(written);
          const came = failure ? `it failed before: ${failureText(failure)}` : 'it writes fewer rows there';
          missed.push(`row ${nth} of ${table} never came: ${came}`);
        });
      }
    }
    if (missed.length > 0) {
      throw new Vacuous(
        `a batch in the caller's transaction does not come as far as one without it: ${missed[0]}` +
          (missed.length > 1 ? ` (and ${count(missed.length - 1, 'rows')} more)` : ''),
      );
    }
  },
});

function mustThrow(batch: readonly Message[], written: Written, what: string): void {
  if (written.threw) return;
  const where = `${what}, in a caller's transaction,`;
  mustFail(w, batch, written, where);
  throw new Violation(
    `${where} returned ${count(written.outcomes?.length ?? 0, 'outcomes')} (the first is ${short(written.outcomes?.[0])}); ` +
      'it must throw, whatever is declared of batches without a transaction',
  );
}

export const heldFailureLeavesNoHalf: Guard = guard({
  id: 'send-batch/held-failure-leaves-no-half',
  level: 'should',
  statement:
    'When the caller catches the failure of a batch in his transaction and commits, nothing of the batch is stored and his own work is.',
  needs: ['transaction', 'rowFault'],
  proves: ["callers' rows written", 'failures caught'],
  async check(bench) {
    await transactionsHold(bench);
    const size = severalChunks(bench);
    const tables = Object.keys(await tablesWritten(bench, w, messages(bench, size)));
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(`one-failure-${name}`, () => catchAndCommit(bench, tables, size, [slot]));
    }
    await bench.case('two-failures', () => catchAndCommit(bench, tables, size, [size - 1, Math.floor(size / 2)]));
    await bench.case('a-good-batch-between', () =>
      catchAndCommit(bench, tables, size, [size - 1, 'stored', Math.floor(size / 2)]),
    );
  },
});

/** A batch that is stored, or the slot whose row the engine refuses. */
type Course = 'stored' | number;

/**
 * Sends batches in one transaction, with a row of the caller's before, between and after them, and commits.
 *
 * Some engines end a transaction at its first error, unless the backend works in a part of it that can be undone: there
 * the caller's next statement fails, and all that is asked is that nothing of what failed is stored.
 */
async function catchAndCommit(
  bench: Bench,
  tables: readonly string[],
  size: number,
  courses: readonly Course[],
): Promise<void> {
  const { rig, own } = await callersRig(bench);
  const sent = courses.map((course) => ({ course, batch: messages(bench, size) }));
  const faults: ArmedFault[] = [];
  // The row is refused by what it holds, since rows of another batch come before it.
  for (const { course, batch } of sent) {
    if (course === 'stored') continue;
    const text = w.token(batch[course]!);
    for (const table of tables) faults.push(await rig.lease.arm({ at: 'poison', table, text: `${text} ` }));
  }
  const transaction = await begun(bench, rig, own, 'before');
  const work = await inTurn(rig, own, transaction, sent);
  const committed = await transaction.commit();
  bench.record('failures caught', work.failures);
  for (const fault of faults) await fault.disarm();
  await rig.quiet();
  await mustHaveKeptNothing(bench, rig, sent);
  const ended = work.ended || 'threw' in committed;
  bench.record('after a failure', ended ? 'the engine had ended the transaction' : 'the caller went on');
  if (ended) return;
  await mustShow(own, work.texts, 'after the caller has caught the failure and committed');
  for (const { course, batch } of sent) {
    if (course !== 'stored') continue;
    await mustHaveStoredAll(bench, w, rig, batch, 'the batch between two that failed, which the caller has committed');
  }
}

interface Work {
  /** The caller's own rows, as far as his statements worked. */
  texts: string[];
  failures: number;
  /** The engine took no statement of the caller's any more. */
  ended: boolean;
}

async function inTurn(
  rig: Rig,
  own: CallersTable,
  transaction: HeldTransaction,
  sent: readonly { course: Course; batch: Message[] }[],
): Promise<Work> {
  const work: Work = { texts: ['before'], failures: 0, ended: false };
  for (const [i, { course, batch }] of sent.entries()) {
    const written = await w.write(rig, batch, { transaction });
    if (course === 'stored') {
      if (!work.ended) mustSucceed(w, batch, written, "a batch in the caller's transaction, after one that failed,");
    } else {
      mustFail(w, batch, written, "a batch in the caller's transaction, one row of which the engine refused,");
      work.failures += 1;
    }
    const text = `after${i + 1}`;
    if ('threw' in (await transaction.run(own.insert(text)))) work.ended = true;
    else work.texts.push(text);
  }
  return work;
}

async function mustHaveKeptNothing(
  bench: Bench,
  rig: Rig,
  sent: readonly { course: Course; batch: Message[] }[],
): Promise<void> {
  const there = byToken(await w.stored(bench, rig));
  for (const { course, batch } of sent) {
    if (course === 'stored') continue;
    const kept = batch.map((message) => there.get(w.token(message))?.length ?? 0);
    const left = kept.filter((n) => n > 0).length;
    if (left === 0) continue;
    throw new Violation(
      `the caller caught the failure of a batch and committed: ${left} of its ${count(batch.length, w.noun)} are stored`,
      {
        input: `${count(batch.length, w.noun)}, the row of slot ${course} refused by the engine`,
        slots: batch.map((message, slot) => ({
          slot,
          mark: kept[slot] === 0 ? 'ok' : 'torn',
          sent: w.print(message),
          expected: 'nothing',
          stored: kept[slot] === 0 ? 'nothing' : count(kept[slot]!, 'rows'),
        })),
      },
    );
  }
}
