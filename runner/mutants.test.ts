import { beforeAll, describe, expect, it } from 'vitest';
import type { ContractName } from '../contracts/ports.ts';
import { fared, killedControls, liesOf, proofOn, untold } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';

interface Tried {
  contract: ContractName;
  /** Between them every guard applies that needs no server, but for those that only the others have a use for. */
  paths: [onSqlite: string, inMemory: string];
  others: string[];
  /** Guards that apply on one of the paths, at least. */
  guards: number;
}
const tried: Tried[] = [
  {
    contract: 'send-batch',
    paths: ['sqlite/file/values', 'memory/everything'],
    others: ['memory/pipeline', 'memory/refuse-duplicates', 'memory/replace-duplicates'],
    guards: 80,
  },
  {
    contract: 'materialize-window',
    paths: ['sqlite/file/json-each', 'memory/plain'],
    others: ['sqlite/file/loop', 'memory/slot-by-slot', 'memory/refuse-disorder'],
    guards: 40,
  },
];

describe.each(tried)('$contract', ({ contract, paths, others, guards }) => {
  /** The proof on `paths`, and of each mutant that was not killed in memory there also the one on `others`. */
  let proof: Proof;
  let further: Proof;
  const lies = liesOf(contract);
  beforeAll(async () => {
    proof = await proofOn(contract, paths);
    const left = lies.filter((mutant) => !fared(proof, mutant).includes(`killed on ${paths[1]}`));
    further = await proofOn(contract, others, { only: left.map(({ id }) => id) });
  }, 600_000);

  const faredAnywhere = (mutant: { id: string }) => [...fared(proof, mutant), ...fared(further, mutant)];
  const { onlyOnServer, inertElsewhere, nowhere } = untold[contract];

  describe('each behavioural mutant is killed by the guard that it is aimed at', () => {
    const told = lies.filter(({ id }) => ![...onlyOnServer, ...inertElsewhere, ...nowhere].includes(id));
    it.each(told.map((mutant) => [mutant.id, mutant] as const))('%s', (_id, mutant) => {
      const trials = faredAnywhere(mutant);
      expect(trials).toContainEqual(expect.stringMatching(/^killed on/));
      expect(trials.filter((trial) => !/^(killed|inert|not-applicable) on/.test(trial))).toEqual([]);
    });

    it.each(onlyOnServer)('%s cannot be told here', (id) => {
      const trials = faredAnywhere({ id });
      expect(trials).toHaveLength(paths.length + others.length);
      expect(trials.filter((trial) => !trial.startsWith('not-applicable on'))).toEqual([]);
    });

    it.each([...inertElsewhere, ...nowhere])('%s is not told here', (id) => {
      const trials = faredAnywhere({ id });
      expect(trials).toHaveLength(paths.length + others.length);
      expect(trials.filter((trial) => !/^(inert|not-applicable) on/.test(trial))).toEqual([]);
    });
  });

  it('the controls live', () => {
    expect([...killedControls(proof), ...killedControls(further)]).toEqual([]);
  });

  it('every guard that applies has a mutant aimed at it', () => {
    expect(proof.guards.length).toBeGreaterThan(guards);
    expect(proof.guards.filter(({ idle }) => idle).map(({ guard }) => guard)).toEqual([]);
  });
});
