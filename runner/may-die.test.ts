import { describe, expect, it } from 'vitest';
import type { Found } from '../contracts/kernel/engine.ts';
import { type Bench, guard, Violation } from '../contracts/kernel/guard.ts';
import { messages } from '../contracts/send-batch/messages.ts';
import { fixture, judgeAll, testOptions } from './fixtures/judging.ts';
import type { RunOptions } from './run-options.ts';

async function verdictOf(check: (bench: Bench) => Promise<void>, options: Partial<RunOptions> = {}) {
  const dying = guard({ id: 'test/dying', statement: 'A guard made for this test.', proves: ['rows'], check });
  const backends = fixture('correct-queue');
  const [verdict] = await judgeAll([dying], testOptions({ backends, paths: ['sqlite/file'], ...options }));
  return verdict!;
}

function rowsIn(found: Found): number {
  if ('missing' in found) throw new Violation(`missing: ${found.missing}`);
  return found.rows.length;
}

describe('a subject that may die', () => {
  it.each([
    { commit: 'before-sent', rows: 0 },
    { commit: 'before-ack', rows: 3 },
  ] as const)('is killed $commit: its call settles as thrown, its close and its leave are no errors', async (c) => {
    const verdict = await verdictOf(async (bench) => {
      const rig = await bench.open({ mayDie: true });
      const armed = await rig.lease.arm({ at: 'crash', point: { commit: c.commit } });
      const ended = await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
      expect(ended).toMatchObject({ threw: { name: 'HostEnded', message: expect.stringContaining('SIGKILL') } });
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      await rig.subject.close();
      const words = await rig.lease.recover();
      expect(words).toContain('quick_check: ok');
      const again = await bench.open({ lease: rig.lease, mayDie: true });
      expect(rowsIn(await again.read())).toBe(c.rows);
      await again.subject.call('sendBatch', [messages(bench, 2, 'bare')]);
      bench.record('rows', rowsIn(await again.read()));
    });
    expect(verdict).toMatchObject({ verdict: 'upheld', evidence: { rows: c.rows + 2 } });
  });

  it('is killed by the lease: later calls settle likewise', async () => {
    const verdict = await verdictOf(async (bench) => {
      const rig = await bench.open({ mayDie: true });
      await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
      const { pids } = await rig.lease.crash();
      expect(pids).not.toContain(process.pid);
      expect(await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')])).toMatchObject({
        threw: { name: 'HostEnded' },
      });
      await rig.lease.recover();
      bench.record('rows', rowsIn(await rig.read()));
    });
    expect(verdict).toMatchObject({ verdict: 'upheld', evidence: { rows: 3 } });
  });

  it('is not to be had beside the judge', async () => {
    const verdict = await verdictOf(async (bench) => void (await bench.open({ mayDie: true })), { host: 'inline' });
    expect(verdict).toMatchObject({ verdict: 'not-applicable', by: 'host' });
  });

  it('and that dies unasked without having been allowed to ends the guard', async () => {
    const verdict = await verdictOf(
      async (bench) => {
        const rig = await bench.open();
        await rig.lease.crash();
        await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
      },
      { host: 'process' },
    );
    expect(verdict).toMatchObject({ verdict: 'violated', message: expect.stringContaining('ended its process') });
  });
});
