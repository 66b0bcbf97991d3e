import { mustFail, mustHaveStoredNothing } from '../../kernel/checks.ts';
import type { SeenStatement } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, Vacuous, Violation } from '../../kernel/guard.ts';
import { within } from '../../kernel/lined-up.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';
import { transactionsHold } from './callers.ts';

/** Milliseconds that an aborted call has to settle in while the engine is held. */
const bound = 5000;

export const heldAbortTakesEffect: Guard = guard({
  id: 'send-batch/held-abort-takes-effect',
  statement:
    "A batch in a caller's transaction that is aborted while it is held settles as failed although the engine is still held, and is not stored even if the caller commits; or a signal beside a transaction is refused before any write.",
  needs: ['cancel', 'transaction', 'hold', 'trace'],
  proves: ['aborted while held, or refused'],
  async check(bench) {
    await transactionsHold(bench);
    const size = severalChunks(bench);
    const statements = await statementsInTransaction(bench, size);
    for (const statement of new Set([1, statements.length])) {
      await bench.case(`statement-${statement}`, () => aborts(bench, size, statement, statements.length));
    }
  },
});

async function statementsInTransaction(bench: Bench, size: number): Promise<SeenStatement[]> {
  const rig = await bench.open();
  const batch = messages(bench, size);
  const transaction = await rig.subject.begin();
  const watch = await rig.lease.watch();
  const written = await w.write(rig, batch, { transaction });
  const { statements } = await watch.stop();
  await transaction.rollback();
  const failure = failureOf(written);
  if (failure) throw new Vacuous(`a batch in the caller's transaction failed: ${failure.message}`);
  if (statements.length === 0) throw new Vacuous("no statement of a batch in the caller's transaction was seen");
  return statements;
}

async function aborts(bench: Bench, size: number, statement: number, all: number): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, size);
  const transaction = await rig.subject.begin();
  const fault = await rig.lease.arm({ at: 'hold', point: { statement } });
  const controller = new AbortController();
  let settled = false;
  const call = w.write(rig, batch, { transaction, signal: controller.signal }).finally(() => {
    settled = true;
  });
  await Promise.race([fault.reached!, call]);
  const refused = settled;
  const what = `a batch in the caller's transaction, aborted while it was held before statement ${statement} of ${all},`;
  controller.abort();
  await within(bound, call);
  const inTime = settled;
  await fault.disarm();
  const written = await call;
  bench.record('aborted while held, or refused', 1);
  if (refused && !failureOf(written)) throw new Vacuous(`the call settled before it came to statement ${statement}`);
  // What became of the transaction is for the caller: a failed call may have ended it.
  await transaction.commit();
  await rig.quiet();
  if (!inTime) {
    const came = failureOf(written) ? 'failed' : 'was stored as if nothing had happened';
    throw new Violation(`${what} did not settle within ${bound / 1000} s; when the engine was let go, it ${came}`);
  }
  const how = refused ? "a batch with a signal in the caller's transaction, which was refused," : what;
  mustFail(w, batch, written, how);
  await mustHaveStoredNothing(bench, w, rig, batch, how);
  bench.record('how it ended', refused ? 'a signal beside a transaction is refused' : 'the call failed');
}
