import { type AbortKind, abortKinds } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig } from '../kernel/guard.ts';
import { failureChain } from '../kernel/outcome.ts';
import { severalChunks } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import { failureOf, type Writes, type Written } from '../kernel/writes.ts';
import { Met } from './met.ts';
import { Standing } from './standing.ts';

/** Kinds after which the subject cannot know more than that its session is gone. */
const endsTheSession: ReadonlySet<AbortKind> = new Set(['idle-timeout', 'terminated']);

export function serverAbortIsReported<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/server-abort-is-reported`,
    statement:
      'A batch that the engine ends, by a time-out or with its session, or that gets no lock, is reported as failed, and nothing of it is stored.',
    proves: ['aborts met', 'met', 'endings'],
    async check(bench) {
      const { abort, lock } = bench.facts.lacks;
      if (abort !== undefined && lock !== undefined) throw new NotApplicable('engine', abort);
      const met = new Met();
      const standing = new Standing(bench);
      if (abort === undefined) {
        for (const by of abortKinds) await standing.case(by, (rig) => abortBy(bench, w, rig, by, met));
      } else {
        bench.leaveOut(abortKinds.join(', '), abort);
        await bench.case('locked-out', async () => lockedOut(bench, w, await bench.open(), met));
      }
      met.record(bench);
    },
  });
}

/** Whether the engine came to end the batch: a single statement is never idle in a transaction. */
async function abortBy<Item>(bench: Bench, w: Writes<Item>, rig: Rig, by: AbortKind, met: Met): Promise<boolean> {
  const items = w.items(bench, severalChunks(bench));
  const fault = await rig.lease.arm({ at: 'abort', by });
  const written = await w.write(rig, items);
  const { count } = await fault.sprung();
  await fault.disarm();
  if (count === 0) {
    met.note({ 'not met': by });
    return true;
  }
  bench.record('aborts met', count);
  const what = `a batch that the engine ended (${by})`;
  const { failed } = await mustBeTrue(bench, w, rig, items, written, what, { answerLost: endsTheSession.has(by) });
  met.note({ met: `${by} (${codeOf(written)})`, endings: failed ? 'reported' : 'stored by another try' });
  return true;
}

function codeOf(written: Written): string {
  const failure = failureOf(written);
  if (!failure) return 'no failure told';
  return failureChain(failure).find(({ code }) => code !== undefined)?.code ?? 'no code told';
}

/**
 * Keeps the lock until the subject is seen to wait for it. One that gives up has failed; one that waits on has to store
 * everything once the lock is free.
 */
async function lockedOut<Item>(bench: Bench, w: Writes<Item>, rig: Rig, met: Met): Promise<void> {
  const items = w.items(bench, severalChunks(bench));
  const watch = await rig.lease.watch();
  const lock = await rig.lease.arm({ at: 'lock' });
  const writing = w.write(rig, items);
  await Promise.race([writing, lock.waiting!(1)]);
  const freedAt = Number(process.hrtime.bigint()) / 1e6;
  await lock.disarm();
  const written = await writing;
  const { statements } = await watch.stop();
  const waited = statements.some(({ startedMs, endedMs }) => startedMs < freedAt && freedAt < endedMs);
  const { raised } = await lock.sprung();
  const { failed } = await mustBeTrue(bench, w, rig, items, written, 'a batch that was locked out');
  if (!waited && raised === 0) return;
  bench.record('aborts met', 1);
  met.note({
    met: waited ? 'waited for the lock' : `gave the lock up (${codeOf(written)})`,
    endings: failed ? 'reported' : 'stored when the lock was free',
  });
}
