import { failureText, mustCount, mustHaveStoredAll } from '../../kernel/checks.ts';
import type { SeenStatement } from '../../kernel/engine.ts';
import {
  type Bench,
  type Guard,
  guard,
  type HeldTransaction,
  NotApplicable,
  type Rig,
  Vacuous,
  Violation,
} from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { keyed } from './keyed.ts';

/** Rounds in one of which the second writer has to be seen to wait. */
const patientRounds = 10;
/** Statements that the holder runs while the second writer comes: a round trip each. */
const statementsMeanwhile = 20;

export const loserWaitsForTheHolder: Guard = guard({
  id: 'send-batch/loser-waits-for-the-holder',
  statement:
    'A writer that meets a key of a transaction that is still open waits for its end: when the holder rolls back, the writer stores.',
  needs: ['dedupeKey', 'transaction', 'trace'],
  needsThread: true,
  proves: ['writers seen to wait', 'rows stored after the wait'],
  async check(bench) {
    const holder = await bench.open();
    const alone = bench.facts.lacks.twoHosts !== undefined;
    const writer = alone ? holder : await bench.open({ lease: holder.lease, anotherHost: true });
    for (let round = 1; round <= patientRounds; round++) {
      if (!(await waitsForRollback(bench, holder, writer, statementsMeanwhile * round))) continue;
      bench.record('writers seen to wait', 1);
      bench.record('seen by', alone ? 'one subject, which answered meanwhile' : 'statements of two hosts');
      return;
    }
  },
});

/** Sends a batch whose keys an open transaction holds, and rolls that back. Returns whether the batch was seen to wait. */
async function waitsForRollback(bench: Bench, holder: Rig, writer: Rig, meanwhile: number): Promise<boolean> {
  const batch = keyed(bench, 5);
  const table = await holder.lease.callersTable();
  const transaction = await holdKeys(holder, batch);
  const watch = await holder.lease.watch();
  let settled = false;
  const writing = w.write(writer, batch).finally(() => {
    settled = true;
  });
  for (let i = 0; i < meanwhile; i++) await transaction.run(table.insert(`while${i}`));
  const settledEarly = settled;
  const ended = await transaction.rollback();
  if ('threw' in ended) throw new Vacuous(`the holder could not roll back: ${failureText(ended.threw)}`);
  const written = await writing;
  const { statements } = await watch.stop();
  const alone = holder === writer;
  const failure = failureOf(written);
  if (failure && alone && settledEarly) {
    const why = `${bench.facts.lacks.twoHosts}, and one subject cannot wait for its own caller`;
    throw new NotApplicable('engine', `${why}: ${failureText(failure)}`);
  }
  await mustBeStored(bench, writer, batch, written);
  bench.record('rows stored after the wait', batch.length);
  return alone ? !settledEarly : runsAcrossRollback(statements);
}

/** A transaction that has stored the batch, and is open. */
async function holdKeys(holder: Rig, batch: readonly Message[]): Promise<HeldTransaction> {
  const transaction = await holder.subject.begin();
  const failure = failureOf(await w.write(holder, batch, { transaction }));
  if (!failure) return transaction;
  await transaction.rollback();
  throw new Vacuous(`no key could be held: a batch in an open transaction failed: ${failureText(failure)}`);
}

async function mustBeStored(bench: Bench, rig: Rig, batch: readonly Message[], written: Written): Promise<void> {
  const what = 'a batch whose keys were held by a transaction that then rolled back';
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}; it was to wait, and to be stored`);
  mustCount(w, batch, written, what);
  const wrong = written.outcomes!.findIndex((outcome) => !('stored' in outcome));
  if (wrong >= 0) {
    throw new Violation(
      `${what}: message ${wrong} is told as ${short(written.outcomes![wrong])}, of a row that was never committed`,
    );
  }
  await mustHaveStoredAll(bench, w, rig, batch, what);
}

/** Whether a statement of another connection was running when the rollback began. */
function runsAcrossRollback(statements: readonly SeenStatement[]): boolean {
  const rollback = statements.find(({ kind }) => kind === 'rollback');
  if (rollback === undefined) return false;
  const { connection: own, startedMs: at } = rollback;
  return statements.some(({ connection, startedMs, endedMs }) => connection !== own && startedMs < at && endedMs > at);
}
