import { beforeAll, expect, it } from 'vitest';
import { fixture, testOptions } from './fixtures/judging.ts';
import { fared, killedControls, proofOn } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';
import type { Verdict } from './report.ts';
import { run } from './run.ts';

const backends = fixture('strict-queue');
const paths = ['sqlite/file'];
const guards = [
  'setup/capability-is-honest',
  'send-batch/held-*',
  'send-batch/invalid-message-fails-whole',
  'send-batch/unknown-destination-fails-whole',
  'send-batch/unsupported-option-is-refused',
  'send-batch/scheduled-jobs-are-rejected',
  'send-batch/original-error-survives-rollback',
  'send-batch/error-keeps-its-class',
  'send-batch/empty-batch-sends-nothing',
];

let verdicts: Verdict[];
let proof: Proof;
beforeAll(async () => {
  verdicts = (await run(testOptions({ backends, paths, guards }), [])).verdicts;
  proof = await proofOn('send-batch', paths, { backends, guards });
}, 300_000);

it('a queue that refuses what it must, and works in transactions of its callers, is upheld', () => {
  const others = verdicts.filter(({ verdict }) => verdict !== 'upheld');
  expect(others.map(({ guard, reason }) => [guard, reason])).toEqual([
    ['send-batch/held-abort-takes-effect', 'cancel is not offered'],
  ]);
  expect(verdicts).toHaveLength(16);
});

it('the guards tell what they have seen', () => {
  const evidenceOf = (guard: string) => verdicts.find((verdict) => verdict.guard === guard)!.evidence;
  expect(evidenceOf('send-batch/held-failure-leaves-no-half')).toMatchObject({
    'after a failure': 'the caller went on',
  });
  expect(evidenceOf('send-batch/original-error-survives-rollback')).toMatchObject({
    'first error': expect.stringMatching(/^refused by /),
    'second error': expect.stringMatching(/^disk I\/O error /),
  });
  expect(evidenceOf('send-batch/error-keeps-its-class').classes).toContain("another session's lock: retryable");
});

it('each lie about that is found by the guard that it is aimed at', () => {
  const told = proof.guards.flatMap(({ mutants }) => mutants);
  expect(told.length).toBeGreaterThan(20);
  const others = told.flatMap((id) => fared(proof, { id })).filter((trial) => !trial.startsWith('killed on'));
  expect(others.sort()).toEqual([
    expect.stringMatching(/^not-applicable .*buffered is not claimed/),
    expect.stringMatching(/^not-applicable .*cancel is not offered/),
    expect.stringMatching(/^not-applicable .*chunkSize is not offered/),
    expect.stringMatching(/^not-applicable .*dedupeKey is not offered/),
    expect.stringMatching(/^not-applicable .*sync is not claimed/),
    expect.stringMatching(/^not-applicable .*jobs are offered/),
  ]);
});

it('the controls live', () => {
  expect(killedControls(proof)).toEqual([]);
});
