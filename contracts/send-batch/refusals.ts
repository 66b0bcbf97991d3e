import { failureText, mustFail, mustHaveStoredAll, mustSucceed, premise } from '../kernel/checks.ts';
import { type Guard, guard, Violation } from '../kernel/guard.ts';
import { failureChain } from '../kernel/outcome.ts';
import { short } from '../kernel/print.ts';
import { positions, severalChunks } from '../kernel/tables.ts';
import { failureOf, grown } from '../kernel/writes.ts';
import { messages } from './messages.ts';
import { sendWrites as w } from './writes.ts';

export const missingNamespaceIsAnError: Guard = guard({
  id: 'send-batch/missing-namespace-is-an-error',
  statement:
    'A batch to a namespace that does not exist fails whole, or, where declared, creates it and is stored whole.',
  needs: ['namespaces'],
  proves: ['namespace seen missing'],
  async check(bench) {
    const rig = await bench.open();
    await rig.lease.wipe();
    const before = await rig.read();
    bench.record('namespace seen missing', 'missing' in before ? 1 : 0);
    const batch = messages(bench, 5);
    const written = await w.write(rig, batch);
    const what = 'a batch to a namespace that does not exist';
    if (bench.declaration.namespaces === 'onDemand') {
      mustSucceed(w, batch, written, what);
      await mustHaveStoredAll(bench, w, rig, batch, what);
      return;
    }
    mustFail(w, batch, written, what);
    if (written.outcomes && written.outcomes.length !== batch.length) {
      throw new Violation(`${what} of ${batch.length} messages brought ${written.outcomes.length} outcomes`);
    }
  },
});

export const scheduledJobsAreRejected: Guard = guard({
  id: 'send-batch/scheduled-jobs-are-rejected',
  statement: 'A scheduled job at any position of a batch is refused before any write, saying why.',
  needs: ['!jobs'],
  proves: ['jobs sent', 'controls stored'],
  async check(bench) {
    const size = severalChunks(bench);
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const good = messages(bench, size);
        const batch = good.map((message, i) => (i === slot ? w.using(bench, message, 'jobs')! : message));
        const before = await rig.lease.snapshot();
        const written = await w.write(rig, batch);
        bench.record('jobs sent', 1);
        const what = `a batch whose message ${slot} is a scheduled job`;
        mustFail(w, batch, written, what);
        const more = grown(before, await rig.lease.snapshot());
        if (Object.keys(more).length > 0)
          throw new Violation(`${what} was refused only after rows were written: ${short(more)}`);
        const failure = failureOf(written)!;
        if (!failureChain(failure).some((f) => /job|schedul/i.test(`${f.message} ${f.code ?? ''}`))) {
          throw new Violation(`${what} was refused without saying why: ${failureText(failure)}`);
        }
        await premise('the same batch without the job', async () => {
          mustSucceed(w, good, await w.write(rig, good), 'it');
          await mustHaveStoredAll(bench, w, rig, good, 'it');
        });
        bench.record('controls stored', 1);
      });
    }
  },
});
