import { failureText, mustHaveStoredAll } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig } from '../../kernel/guard.ts';
import { linedUp } from '../../kernel/lined-up.ts';
import type { Failure } from '../../kernel/outcome.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf } from '../../kernel/writes.ts';
import { overlap } from '../../writing/concurrent-failure.ts';
import { Met } from '../../writing/met.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';
import { mustNameTheirRows } from './naming.ts';

/** Rounds of batches at once, until all of one round are stored. */
const rounds = 6;

/** Milliseconds in which one subject that is at work on a batch sends the next, unless it waits for the first to end. */
const patience = 1000;

export const concurrentBatchesKeepTheirOwnIds: Guard = guard({
  id: 'send-batch/concurrent-batches-keep-their-own-ids',
  statement: 'The ids of batches that race name their own messages; gaps are allowed, mixing is not.',
  needs: ['ids', 'trace'],
  needsThread: true,
  proves: ['calls overlapped', 'batches stored side by side', 'run by'],
  async check(bench) {
    const met = new Met();
    const refusals: Failure[] = [];
    await bench.case('on-one-subject', async () => {
      const rig = await bench.open();
      if (await race(bench, rig, rig, refusals, patience)) met.note({ 'run by': 'one subject' });
    });
    const { twoHosts } = bench.facts.lacks;
    bench.leaveOut('on-two-subjects', twoHosts);
    if (twoHosts === undefined) {
      await bench.case('on-two-subjects', async () => {
        const left = await bench.open();
        const right = await bench.open({ lease: left.lease, anotherHost: true });
        if (await race(bench, left, right, refusals)) met.note({ 'run by': 'two subjects in two hosts' });
      });
    }
    if (met.isEmpty && refusals.length > 0) {
      const why = `of ${count(refusals.length, 'pairs')} of batches at once it stored one at most`;
      throw new NotApplicable('backend', `${why}: ${failureText(refusals[0]!)}`);
    }
    if (met.isEmpty) {
      const why = 'two batches never overlapped: the subject runs one after the other';
      throw new NotApplicable('backend', twoHosts ? `${why}, and ${twoHosts}` : why);
    }
    met.record(bench);
  },
});

/** Writes batches at once until two that overlapped are stored; returns whether they were, and adds what was refused. */
async function race(bench: Bench, left: Rig, right: Rig, refusals: Failure[], patience?: number): Promise<boolean> {
  const { lease } = left;
  for (let round = 0; round < rounds; round++) {
    const size = severalChunks(bench);
    // Batches of one size are the easiest to take for each other.
    const batches = [messages(bench, size), messages(bench, size)] as const;
    const watch = await lease.watch();
    const both = { facts: bench.facts, lease, sessions: 2, ...(patience !== undefined && { patience }) };
    const written = await linedUp(both, () => Promise.all([w.write(left, batches[0]), w.write(right, batches[1])]));
    const overlapped = overlap((await watch.stop()).statements);
    let stored = 0;
    for (const [i, batch] of batches.entries()) {
      // Whether it may fail beside another is for other guards.
      if (failureOf(written[i]!)) continue;
      const what = `the ${i === 0 ? 'first' : 'second'} of two batches that were written at once`;
      await mustHaveStoredAll(bench, w, left, batch, what);
      await mustNameTheirRows(bench, left, batch, written[i]!);
      stored += 1;
    }
    // Two that did not meet, although they were made to, will not.
    if (!overlapped) return false;
    bench.record('calls overlapped', 1);
    if (stored === batches.length) {
      bench.record('batches stored side by side', stored);
      return true;
    }
    refusals.push(written.map(failureOf).find((failure) => failure !== undefined)!);
  }
  return false;
}
