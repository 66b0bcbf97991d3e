import { beforeAll, describe, expect, it } from 'vitest';
import { fared, inertElsewhere, killedControls, lies, onlyOnServer, proofOn } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';

/** Beside those that can be told on a server only, some to which it adds something. */
const usual = new Set([
  'setup/fault-outlives-its-removal',
  'setup/leases-share-a-table',
  'setup/mutex-round-the-subject',
  'send-batch/another-clock-in-batch',
  'send-batch/failure-reports-fewer',
  'send-batch/flash-one-row',
  'send-batch/ids-reversed',
  'send-batch/second-batch-reuses-ids',
]);
const told = lies.filter(({ id }) => onlyOnServer.has(id) || inertElsewhere.has(id) || usual.has(id));

describe('on PostgreSQL each behavioural mutant is killed by the guard that it is aimed at', () => {
  let proof: Proof;
  beforeAll(async () => {
    proof = await proofOn(['postgres/values'], { runs: 5, only: told.map(({ id }) => id) });
  }, 600_000);

  it.each(told.map((mutant) => [mutant.id, mutant] as const))('%s', (_id, mutant) => {
    expect(fared(proof, mutant)).toEqual(['killed on postgres/values']);
  });

  it('the controls live', () => {
    expect(killedControls(proof)).toEqual([]);
  });
});
