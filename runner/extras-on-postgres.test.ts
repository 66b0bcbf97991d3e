import { beforeAll, describe, expect, it } from 'vitest';
import { fixture, testOptions } from './fixtures/judging.ts';
import { fared, killedControls, liesOf, proofOn } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';
import { run } from './run.ts';

/** What the built-in backends on PostgreSQL do not offer. */
const extras = [
  'caller-ids-are-kept',
  'equal-times-stay-in-order',
  'defaults-are-per-row',
  'ambient-context-is-kept',
  'own-reads-agree',
  'flush-covers-everything-accepted',
  'sent-during-flush-is-kept',
  'failed-flush-is-told-and-kept',
  'flush-writes-once',
].map((name) => `send-batch/${name}`);

/** Lies about what this queue, too, lacks. */
const uuids = 'the lie cannot be told here: all ids have one length, and their case makes no difference';
const needsMore = new Map([
  ['send-batch/caller-id-skipped-beside-keys', 'dedupeKey is not offered'],
  ['send-batch/caller-id-cut-at-36', uuids],
  ['send-batch/caller-ids-without-case', uuids],
]);

describe('a queue with what the built-in ones lack', () => {
  const aimed = liesOf('send-batch').filter(({ target }) => extras.includes(target));
  let proof: Proof;
  beforeAll(async () => {
    proof = await proofOn('send-batch', [], { backends: fixture('postgres-extras'), guards: extras });
  }, 600_000);

  it.each(aimed.map((mutant) => [mutant.id, mutant] as const))('%s is killed', (_id, mutant) => {
    const lacking = needsMore.get(mutant.id);
    const expected = lacking ? `not-applicable on postgres: not-applicable: ${lacking}` : 'killed on postgres';
    expect(fared(proof, mutant)).toEqual([expected]);
  });

  it('the controls live', () => expect(killedControls(proof)).toEqual([]));
});

/** What a backend meets that stores in part and tells of every message. */
const inPart = [
  'setup/capability-is-honest',
  'setup/fault-fires',
  'send-batch/each-outcome-is-true',
  'send-batch/backend-usable-after-failure',
  'send-batch/failed-batch-does-not-come-back',
  'send-batch/server-abort-is-reported',
  'send-batch/transient-fault-ends-whole',
  'send-batch/concurrent-failure-is-isolated',
  'send-batch/lost-ack-is-all-or-nothing',
  'send-batch/unknown-is-told',
  'send-batch/past-the-limits',
  'send-batch/batch-equals-singles',
  'send-batch/body-round-trips',
  'send-batch/foreign-conflict-is-an-error',
  'send-batch/scheduled-jobs-are-rejected',
  'send-batch/unsupported-option-is-refused',
];

const onlyWhole = ['send-batch/nothing-persists-after-failure', 'send-batch/every-outcome-reports-the-failure'];

it('a queue that stores in part is judged fairly', async () => {
  const backends = fixture('postgres-in-part');
  const guards = ['setup/*', ...inPart, ...onlyWhole];
  const { verdicts } = await run(testOptions({ backends, guards, runs: 5, timeout: 60_000 }), []);
  const found = new Map(verdicts.map(({ guard, verdict, message }) => [guard, message ?? verdict]));
  expect(inPart.map((guard) => [guard, found.get(guard)])).toEqual(inPart.map((guard) => [guard, 'upheld']));
  expect(onlyWhole.map((guard) => found.get(guard))).toEqual(['not-applicable', 'not-applicable']);
});
