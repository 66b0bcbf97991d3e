import { describe, expect, it } from 'vitest';
import { guard } from '../contracts/kernel/guard.ts';
import { messages } from '../contracts/send-batch/messages.ts';
import { fixture, judgeAll, testOptions } from './fixtures/judging.ts';
import type { RunOptions } from './run-options.ts';
import { UsageError } from './usage-error.ts';

const reads = guard({
  id: 'test/reads',
  statement: 'A guard made for this test.',
  proves: ['reads'],
  async check(bench) {
    const rig = await bench.open();
    await rig.read();
    bench.record('reads', 1);
  },
});

const one = (file: string, name = 'default') => fixture(file).map((module) => ({ ...module, export: name }));

function judged(backends: RunOptions['backends'], options: Partial<RunOptions> = {}) {
  return judgeAll([reads], testOptions({ backends, paths: ['sqlite/file'], ...options }));
}

describe.concurrent('a backend that does not get as far as to be judged is refused', () => {
  it.each([
    ['declares-badly', 'loops', /declare did not end within 5000 ms, for send-batch of variant default/],
    ['declares-badly', 'neverReturns', /declare did not end within 5000 ms/],
    ['declares-badly', 'exits', /ended its host before it had declared anything: process\.exit\(0\)/],
    ['declares-badly', 'throwsIt', /backend throws-it: no licence/],
    ['declares-badly', 'wrongly', /unknown offer 'haeders'/],
    ['exits-while-loading', 'default', /ended its host while it was loaded: the host has ended: process\.exit\(0\)/],
    ['loops-once-loaded', 'default', /began to loop after it was loaded/],
    ['exits-once-loaded', 'default', /ended its host before it had declared anything: process\.exit\(0\)/],
  ])('%s, %s', async (file, name, message) => {
    const refused = judged(one(file, name));
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
  });
});

it.each(['worker', 'process'] as const)(
  'one that ends its %s in a timer is in violation, in every guard',
  async (host) => {
    const waits = guard({
      ...reads,
      async check(bench) {
        const rig = await bench.open();
        await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
        await rig.quiet();
        // Whichever comes first: the end of the host, or this.
        await rig.subject.call('sendBatch', [messages(bench, 3, 'bare')]);
      },
    });
    const verdicts = await judgeAll(
      [waits, waits],
      testOptions({ backends: fixture('exits-in-a-timer'), paths: ['sqlite/file'], host }),
    );
    for (const verdict of verdicts) {
      expect(verdict).toMatchObject({ verdict: 'violated', message: expect.stringContaining('process.exit(0)') });
    }
  },
);

describe.concurrent('a probe of its own that is none is named', () => {
  it.each([
    ['closeThrows', "closing the backend's own probe failed: Error: not now"],
    ['neverCloses', "closing the backend's own probe failed: CloseTimeout: the subject did not close within 10000 ms"],
    ['noRows', "the backend's own probe: rows() must return rows that are objects; row 1 is null"],
    ['noList', "the backend's own probe: rows() must return { rows: [...] }"],
    ['noProbe', "the backend's own probe: probe(site) must return an object with a function rows, not 'rows'"],
    ['exits', 'process.exit(0)'],
    ['exitsClosing', 'process.exit(0)'],
  ])('%s', async (name, message) => {
    const [verdict] = await judged(one('own-probes', name));
    expect(verdict).toMatchObject({ verdict: 'violated', message: expect.stringContaining(message) });
  });
});

describe('a probe of its own that does not answer is named', () => {
  it.each([
    ['loops', 'its thread answers no more: a loop without end?'],
    ['neverReads', 'its promise is still open'],
  ])('%s', async (name, how) => {
    const [verdict] = await judged(one('own-probes', name), { timeout: 4000 });
    expect(verdict).toMatchObject({ verdict: 'violated', message: expect.stringContaining(how) });
    expect(verdict!.message).toContain("reading by the backend's own probe");
  });
});
