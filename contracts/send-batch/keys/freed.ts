import { byToken, failureText, mustHaveStoredAll } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import type { Fault } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { within } from '../../kernel/lined-up.ts';
import { count, short } from '../../kernel/print.ts';
import { rowAt, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { Standing } from '../../writing/standing.ts';
import { beginIfAble } from '../held/callers.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { keyed } from './keyed.ts';

export const failedKeysAreFree: Guard = guard({
  id: 'send-batch/failed-keys-are-free',
  statement:
    'The keys of a batch that failed, or that went with a rollback of the caller, are free: whoever sends them next is told stored, and has stored them.',
  needs: ['dedupeKey'],
  proves: ['batches whose keys were given up', 'messages stored under such keys'],
  async check(bench) {
    const standing = new Standing(bench);
    const size = severalChunks(bench);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, keyed(bench, size), await standing.rig()))[0]!;
    const after = (why: string, fail: (rig: Rig, batch: readonly Message[]) => Promise<boolean>) =>
      standing.case(`after-${why.replaceAll(' ', '-')}`, async (rig) => {
        const { observer, twoHosts } = bench.facts.lacks;
        // A private database belongs to one subject: there is nobody else who could send to it.
        const another =
          observer === undefined ? await bench.open({ lease: rig.lease, anotherHost: twoHosts === undefined }) : rig;
        const batch = keyed(bench, size);
        if (!(await fail(rig, batch))) return true;
        bench.record('batches whose keys were given up', 1);
        await mustBeFree(bench, [rig, another], batch, why);
        return true;
      });

    await after('an unreadable message', async (rig, batch) =>
      isFailed(await w.write(rig, batch.with(-1, w.unreadable(batch.at(-1)!)))),
    );
    const { lacks } = bench.facts;
    bench.leaveOut('after-a-refused-row', lacks.rowFault);
    if (lacks.rowFault === undefined) {
      const nth = rowAt(size - 1, size, rows);
      await after('a refused row', (rig, batch) => failsBy(rig, batch, { at: 'row', table, nth, kind: 'trigger' }));
    }
    bench.leaveOut('after-a-refused-commit', lacks.commitFault);
    if (lacks.commitFault === undefined)
      await after('a refused commit', (rig, batch) => failsBy(rig, batch, { at: 'commit', table }));
    if (bench.declaration.offers.includes('transaction')) await after('a rollback of the caller', isRolledBack);
  },
});

async function failsBy(rig: Rig, batch: readonly Message[], fault: Fault): Promise<boolean> {
  const armed = await rig.lease.arm(fault);
  const written = await w.write(rig, batch);
  await armed.disarm();
  return isFailed(written);
}

/** Whether it failed; what was stored all the same, by another try, is for other guards. */
function isFailed(written: Written): boolean {
  return failureOf(written) !== undefined;
}

/** Sends a batch in a transaction of the caller's, who then rolls back; whether both went well. */
async function isRolledBack(rig: Rig, batch: readonly Message[]): Promise<boolean> {
  const transaction = await beginIfAble(rig);
  if (!transaction) return false;
  const written = await w.write(rig, batch, { transaction });
  return !('threw' in (await transaction.rollback())) && !isFailed(written);
}

/**
 * Sends the messages again, some by another subject and then the others by the same one: what a subject still holds it
 * may well take again itself. Those that are stored, where the others of their batch failed, have their keys.
 */
async function mustBeFree(
  bench: Bench,
  [one, another]: [Rig, Rig],
  batch: readonly Message[],
  why: string,
): Promise<void> {
  await one.quiet();
  const stored = byToken(await w.stored(bench, one));
  const free = batch.filter((message) => !stored.has(w.token(message)));
  const half = Math.floor(free.length / 2);
  const what = (whose: string) => `messages whose keys are free after ${why}, sent again by ${whose} subject,`;
  const [byAnother, byTheSame] = [free.slice(half), free.slice(0, half)];
  const writing = w.write(another, byAnother);
  await mustNotWaitFor(one, writing, what('another'));
  await mustStoreThem(bench, another, byAnother, await writing, what('another'));
  await mustStoreThem(bench, one, byTheSame, await w.write(one, byTheSame), what('the same'));
}

/** Milliseconds after which a batch that waits is taken to wait for another subject; many times what it needs. */
const patient = 6000;

/** Fails the guard where a batch waits until the subject whose batch failed is closed, and its sessions with it. */
async function mustNotWaitFor(one: Rig, writing: Promise<unknown>, what: string): Promise<void> {
  let isOver = false;
  const over = writing.then(() => {
    isOver = true;
  });
  await within(patient, over);
  if (isOver) return;
  await one.subject.close();
  await over;
  throw new Violation(
    `${what} waited for ${patient} ms, until the subject whose batch had failed was closed: what that batch had locked ` +
      'has to be let go of when its call settles',
  );
}

async function mustStoreThem(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}`);
  mustBeToldStored(batch, written, what);
  await mustHaveStoredAll(bench, w, rig, batch, what);
  if (batch.length > 0) bench.record('messages stored under such keys', batch.length);
}

function mustBeToldStored(part: readonly Message[], written: Written, what: string): void {
  const slots = part.map((message, slot): SlotLine => {
    const outcome = written.outcomes?.[slot] ?? {};
    const mark = 'stored' in outcome ? 'ok' : 'wrong';
    return { slot, mark, sent: w.print(message), expected: 'stored', stored: short(outcome) };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  throw new Violation(
    `${what} are to be stored, but ${bad.length} of ${part.length} are told otherwise; ` +
      `first that in slot ${bad[0]!.slot}: ${bad[0]!.stored}, though no row had its key`,
    { input: count(part.length, 'messages'), slots },
  );
}
