import { beforeAll, describe, expect, it } from 'vitest';
import type { ContractName } from '../contracts/ports.ts';
import { fared, killedControls, liesOf, proofOn, untold } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';

/** Lies to which a server adds something, beside those that can be told on one only. */
const usual = ['setup/fault-outlives-its-removal', 'setup/leases-share-a-table', 'setup/mutex-round-the-subject'];
const tried: { contract: ContractName; path: string; also: string[] }[] = [
  {
    contract: 'send-batch',
    path: 'postgres/values',
    also: [
      ...usual,
      'send-batch/another-clock-in-batch',
      'send-batch/failure-reports-fewer',
      'send-batch/flash-one-row',
      'send-batch/ids-reversed',
      'send-batch/second-batch-reuses-ids',
    ],
  },
  {
    contract: 'materialize-window',
    path: 'postgres/procedure',
    also: [...usual, 'materialize-window/flash-one-row', 'materialize-window/window-in-two-commits'],
  },
];

describe.each(tried)('on PostgreSQL each behavioural mutant of $contract', ({ contract, path, also }) => {
  const { onlyOnServer, inertElsewhere } = untold[contract];
  const told = liesOf(contract).filter(({ id }) => [...onlyOnServer, ...inertElsewhere, ...also].includes(id));
  let proof: Proof;
  beforeAll(async () => {
    proof = await proofOn(contract, [path], { runs: 5, only: told.map(({ id }) => id) });
  }, 600_000);

  it.each(told.map((mutant) => [mutant.id, mutant] as const))('%s is killed by its target', (_id, mutant) => {
    expect(fared(proof, mutant)).toEqual([`killed on ${path}`]);
  });

  it('the controls live', () => {
    expect(killedControls(proof)).toEqual([]);
  });
});
