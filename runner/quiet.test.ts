import { expect, it } from 'vitest';
import { guard, type Quiet, Violation } from '../contracts/kernel/guard.ts';
import { messages } from '../contracts/send-batch/messages.ts';
import { fixture, judgeAll, testOptions } from './fixtures/judging.ts';
import { run } from './run.ts';

async function rowsOnceQuiet(name: string): Promise<{ rows: number; quiet: Quiet }> {
  let quiet: Quiet | undefined;
  const check = guard({
    id: 'test/quiet',
    statement: 'A guard made for this test.',
    proves: ['rows'],
    async check(bench) {
      const rig = await bench.open();
      await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
      quiet = await rig.quiet();
      const found = await rig.read();
      if ('missing' in found) throw new Violation(found.missing);
      bench.record('rows', found.rows.length);
    },
  });
  const [verdict] = await judgeAll([check], testOptions({ backends: fixture(name), paths: ['sqlite/file'] }));
  return { rows: verdict!.evidence.rows as number, quiet: quiet! };
}

it('waits for what a subject does later, by timers that set timers', async () => {
  expect((await rowsOnceQuiet('stores-late')).rows).toBe(3);
});

it('says in words that nothing is open', async () => {
  const { rows, quiet } = await rowsOnceQuiet('correct-queue');
  expect(rows).toBe(3);
  expect(quiet.engine).toContain('no transaction is open');
});

it('keeps what arrives late from the guards that are not about it', async () => {
  const guards = ['setup/fault-fires', 'send-batch/failed-batch-does-not-come-back'];
  const mutants = ['send-batch/straggler-after-failure'];
  const { verdicts } = await run(testOptions({ contracts: ['send-batch'], paths: ['memory'], guards, mutants }), []);
  const red = verdicts.filter(({ verdict }) => verdict !== 'upheld' && verdict !== 'not-applicable');
  expect(red.map(({ path, guard, message }) => [path, guard, message])).toEqual([]);
  expect(verdicts.length).toBeGreaterThan(1);
});
