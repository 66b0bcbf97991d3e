import { failureText, premise } from '../../kernel/checks.ts';
import { type CallersTable, LeftLocked } from '../../kernel/engine.ts';
import { type Bench, type HeldTransaction, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import type { Settled } from '../../kernel/outcome.ts';
import { short } from '../../kernel/print.ts';

/** A subject, and a table in which its caller keeps rows of his own. */
export interface CallersRig {
  rig: Rig;
  own: CallersTable;
}

/** A fresh subject with a caller's own table beside its tables. */
export async function callersRig(bench: Bench): Promise<CallersRig> {
  const rig = await bench.open();
  return { rig, own: await rig.lease.callersTable() };
}

/**
 * Convinces itself that the transactions that the adapter begins are ones: a row of the caller's is there after a
 * commit, and after a rollback it is not.
 */
export async function transactionsHold(bench: Bench): Promise<void> {
  const first = await beginIfAble(await bench.open());
  if (!first) throw new NotApplicable('backend', 'its begin() brings no transaction: see setup/capability-is-honest');
  await first.rollback();
  await premise("a caller's transaction without a batch", async () => {
    const { rig, own } = await callersRig(bench);
    const dropped = await rig.subject.begin();
    const inserted = await dropped.run(own.insert('dropped'));
    mustStep(inserted, `the caller's first statement${oneConnection(bench)}`);
    mustStep(await dropped.rollback(), "the caller's rollback");
    await mustShow(own, [], "after the caller's rollback");
    const kept = await begun(bench, rig, own, 'kept');
    mustStep(await kept.commit(), "the caller's commit");
    await mustShow(own, ['kept'], "after the caller's commit");
  });
}

/** What to look at where a database has one connection, and a transaction on another is none on this database. */
function oneConnection({ facts }: Bench): string {
  return facts.lacks.observer === undefined ? '' : ` (${facts.lacks.observer}: does begin() use the subject's own?)`;
}

/** Begins a transaction as a caller does, where `begin` brings one; where not, `setup/capability-is-honest` tells why. */
export async function beginIfAble({ subject }: Rig): Promise<HeldTransaction | undefined> {
  try {
    return await subject.begin();
  } catch (error) {
    if (error instanceof Violation && error.constructor === Violation) return undefined;
    throw error;
  }
}

/** Begins a transaction as a caller does, and writes a row of the caller's in it. */
export async function begun(bench: Bench, rig: Rig, own: CallersTable, text: string): Promise<HeldTransaction> {
  const transaction = await rig.subject.begin();
  await insertOwn(bench, own, transaction, text);
  return transaction;
}

/** Writes a row of the caller's in his transaction, which must work. */
export async function insertOwn(
  bench: Bench,
  own: CallersTable,
  transaction: HeldTransaction,
  text: string,
): Promise<void> {
  mustStep(await transaction.run(own.insert(text)), `the caller's statement that inserts "${text}"`);
  bench.record("callers' rows written", 1);
}

/** Fails the guard where a step of the caller's own did not work. */
export function mustStep(settled: Settled<unknown>, what: string): void {
  if ('threw' in settled) throw new Violation(`${what} failed: ${failureText(settled.threw)}`);
}

/** Fails the guard unless exactly these rows of the caller's are seen from outside. */
export async function mustShow(own: CallersTable, texts: readonly string[], when: string): Promise<void> {
  const found = await own.texts();
  const wanted = [...texts].sort();
  if (short(found) === short(wanted)) return;
  throw new Violation(`${when} the caller's own rows are ${short(found)}; they should be ${short(wanted)}`);
}

/** What a reader sees while a transaction may be open; an engine whose lock keeps him out shows him nothing of it. */
export async function look<T>(read: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LeftLocked) return 'refused';
    throw error;
  }
}
