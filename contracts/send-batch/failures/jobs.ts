import { failureText, mustAgree, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { failureChain } from '../../kernel/outcome.ts';
import { sameJson, short } from '../../kernel/print.ts';
import { mustBeRefused } from '../../kernel/refused.ts';
import { justASecondChunk, positions, severalChunks } from '../../kernel/tables.ts';
import { failureOf, grown, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const scheduledJobsAreRejected: Guard = guard({
  id: 'send-batch/scheduled-jobs-are-rejected',
  statement:
    'A scheduled job at any position of a batch is refused before any write, saying why; where jobs are offered, each is registered once, as the single path does it.',
  proves: ['jobs sent', 'controls stored'],
  async check(bench) {
    if (bench.declaration.offers.includes('jobs')) return mustRegisterEach(bench);
    const size = severalChunks(bench);
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, () => mustRefuse(bench, size, slot));
    }
  },
});

async function mustRefuse(bench: Bench, size: number, slot: number): Promise<void> {
  const rig = await bench.open();
  const good = messages(bench, size);
  const batch = withJobs(bench, good, [slot]);
  const before = await rig.lease.snapshot();
  const written = await w.write(rig, batch);
  bench.record('jobs sent', 1);
  const what = `a batch whose message ${slot} is a scheduled job`;
  await mustBeRefused(bench, w, rig, { items: batch, slots: [slot], before }, written, what);
  const failure = failureOf(written)!;
  if (!failureChain(failure).some((f) => /job|schedul/i.test(`${f.message} ${f.code ?? ''}`))) {
    throw new Violation(`${what} was refused without saying why: ${failureText(failure)}`);
  }
  await premise('the same batch without the job', async () => {
    mustSucceed(w, good, await w.write(rig, good), 'it');
    await mustHaveStoredAll(bench, w, rig, good, 'it');
  });
  bench.record('controls stored', 1);
}

async function mustRegisterEach(bench: Bench): Promise<void> {
  const size = justASecondChunk(bench);
  const slots = positions(bench, size).map(({ slot }) => slot);
  for (const slot of slots) {
    await bench.case(`registers-one-at-${slot}`, () => registeredAsBySingles(bench, size, [slot]));
  }
  await bench.case('registers-several', () => registeredAsBySingles(bench, size, slots));
}

/** Sends the batch, and on another lease the same messages one by one: every table must get as many rows. */
async function registeredAsBySingles(bench: Bench, size: number, slots: readonly number[]): Promise<void> {
  const batch = withJobs(bench, messages(bench, size), slots);
  const what = `a batch with scheduled jobs in the slots ${slots.join(', ')}`;
  const together = await bench.open();
  const empty = await together.lease.snapshot();
  const written = await w.write(together, batch);
  bench.record('jobs sent', slots.length);
  mustSucceed(w, batch, written, what);
  const rows = await mustHaveStoredAll(bench, w, together, batch, what);
  const more = grown(empty, await together.lease.snapshot());

  const apart = await bench.open();
  const alone = await apart.lease.snapshot();
  const singles: Written[] = [];
  for (const message of batch) {
    const single = await w.writeOne(apart, message);
    await premise('a single send', () => mustSucceed(w, [message], single, 'it'));
    singles.push(single);
  }
  const expected = grown(alone, await apart.lease.snapshot());
  bench.record('controls stored', batch.length);
  if (!sameJson(more, expected)) {
    throw new Violation(`${what} adds ${short(more)} rows; single sends of its messages add ${short(expected)}`);
  }
  const singleRows = await mustHaveStoredAll(bench, w, apart, batch, 'single sends');
  const differences = await w.rowDifferences(
    bench,
    rows.map((row) => ({ row, by: written })),
    singleRows.map((row, slot) => ({ row, by: singles[slot]! })),
  );
  mustAgree(w, batch, differences, what, 'stored as by single sends');
}

/** The messages, of which those in the slots ask for jobs of different names. */
function withJobs(bench: Bench, batch: readonly Message[], slots: readonly number[]): Message[] {
  return batch.map((message, slot) =>
    slots.includes(slot) ? { ...w.using(bench, message, 'jobs')!, job: `nightly-report-${slot}` } : message,
  );
}
