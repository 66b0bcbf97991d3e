import { beforeAll, describe, expect, it } from 'vitest';
import { testOptions } from './fixtures/judging.ts';
import type { Report } from './report.ts';
import { run } from './run.ts';

const backends = [{ url: new URL('../examples/pg-boss.ts', import.meta.url).href, export: 'default' }];

describe('pg-boss 12, judged by the adapter among the examples', () => {
  let report: Report;
  const verdictOf = (guard: string) => report.verdicts.find((v) => v.guard === guard)!;

  beforeAll(async () => {
    // It makes its schema anew on every lease; the guards get the time for that. 200,000 jobs take too long for a test.
    report = await run(testOptions({ backends, runs: 5, timeout: 180_000, guards: ['**/!(no-cliff*)'] }), []);
  }, 600_000);

  it('gets these verdicts', () => {
    expect(Object.fromEntries(report.verdicts.map((v) => [v.guard, v.verdict]))).toEqual({
      'setup/namespace-exists': 'upheld',
      'setup/probe-is-independent': 'upheld',
      'setup/probe-sees-a-torn-batch': 'upheld',
      'setup/namespaces-are-isolated': 'upheld',
      'setup/batch-is-seen': 'upheld',
      'setup/single-write-is-seen': 'upheld',
      'setup/fault-fires': 'upheld',
      'setup/chunks-are-crossed': 'upheld',
      'setup/items-are-distinct': 'upheld',
      'setup/race-happened': 'upheld',
      'setup/capability-is-honest': 'upheld',
      'setup/capability-survives-wrapping': 'upheld',
      'send-batch/nothing-persists-after-failure': 'upheld',
      'send-batch/no-partial-visibility': 'upheld',
      'send-batch/nothing-arrives-late': 'upheld',
      'send-batch/backend-usable-after-failure': 'upheld',
      'send-batch/failed-batch-does-not-come-back': 'upheld',
      'send-batch/commit-failure-is-reported': 'upheld',
      'send-batch/server-abort-is-reported': 'upheld',
      'send-batch/transient-fault-ends-whole': 'upheld',
      'send-batch/concurrent-failure-is-isolated': 'upheld',
      'send-batch/lost-ack-is-all-or-nothing': 'upheld',
      'send-batch/unknown-is-told': 'violated',
      'send-batch/acknowledged-survives-reopen': 'not-applicable',
      'send-batch/acknowledged-survives-crash': 'not-applicable',
      'send-batch/abort-takes-effect': 'not-applicable',
      'send-batch/aborted-before-start-writes-nothing': 'not-applicable',
      'send-batch/cancelled-is-all-or-nothing': 'not-applicable',
      'send-batch/usable-after-abort': 'not-applicable',
      'send-batch/inputs-are-not-touched': 'upheld',
      'send-batch/inputs-may-change-in-flight': 'violated',
      'send-batch/empty-batch': 'upheld',
      'send-batch/past-the-limits': 'upheld',
      'send-batch/is-one-round-trip-per-chunk': 'upheld',
      'send-batch/is-one-commit': 'upheld',
      'send-batch/every-outcome-reports-the-failure': 'upheld',
      'send-batch/unserializable-body-fails-whole': 'upheld',
      'send-batch/ids-in-caller-order': 'upheld',
      'send-batch/ids-are-unique-and-real': 'upheld',
      'send-batch/identical-messages-get-their-own-ids': 'upheld',
      'send-batch/ids-survive-any-step': 'not-applicable',
      'send-batch/ids-are-lossless': 'not-applicable',
      'send-batch/metadata-round-trips': 'upheld',
      'send-batch/batch-equals-singles': 'violated',
      'send-batch/mixed-shapes-keep-their-columns': 'upheld',
      'send-batch/body-round-trips': 'upheld',
      'send-batch/time-is-exact': 'upheld',
      'send-batch/clock-is-the-declared-one': 'upheld',
      'send-batch/status-row-per-message': 'not-applicable',
      'send-batch/missing-namespace-is-an-error': 'upheld',
      'send-batch/scheduled-jobs-are-rejected': 'upheld',
    });
  });

  it('takes in a batch what it refuses alone: insert checks no priority', () => {
    const { cases, message } = verdictOf('send-batch/batch-equals-singles');
    expect(cases.filter((c) => c.verdict === 'violated').map((c) => c.name)).toEqual(['refusals']);
    expect(message).toBe(
      'a message with a priority of NaN is refused by a single send (AssertionError: priority must be an integer), ' +
        'but accepted in a batch',
    );
  });

  it('reads the jobs of a batch only after insert has returned its promise', () => {
    expect(verdictOf('send-batch/inputs-may-change-in-flight')).toMatchObject({ level: 'should', verdict: 'violated' });
  });

  it('tells a batch whose acknowledgement was lost as failed, though it is stored', () => {
    const { level, verdict, message } = verdictOf('send-batch/unknown-is-told');
    expect({ level, verdict }).toEqual({ level: 'should', verdict: 'violated' });
    expect(message).toContain('is told as failed (Error: read ECONNRESET), but 11 of its 11 messages are stored');
    expect(verdictOf('send-batch/lost-ack-is-all-or-nothing').verdict).toBe('upheld');
  });

  it('has its own table refuse the rows of a batch, and keeps none of them', () => {
    const { cases, evidence } = verdictOf('send-batch/nothing-persists-after-failure');
    expect(evidence['faults raised']).toBeGreaterThan(0);
    expect(evidence['rows accepted before the fault']).toBeGreaterThan(0);
    for (const name of ['job-trigger-full-first', 'job-trigger-full-middle', 'job-trigger-full-last']) {
      expect(cases).toContainEqual({ name, verdict: 'upheld' });
    }
  });

  it('numbers its jobs by no sequence that could be made to step', () => {
    expect(verdictOf('send-batch/ids-survive-any-step').reason).toMatch(/^ids are no whole numbers \([0-9a-f-]{36}\)$/);
  });
});
