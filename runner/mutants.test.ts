import { beforeAll, describe, expect, it } from 'vitest';
import { fared, inertElsewhere, killedControls, lies, onlyOnServer, proofOn } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';

// Between them every guard applies that needs no server, but for those that only the other variants have a use for.
const paths = ['sqlite/file/values', 'memory/everything'];
const others = ['memory/pipeline', 'memory/refuse-duplicates', 'memory/replace-duplicates'];

/** The proof on `paths`, and of each mutant that was not killed in memory there also the one on `others`. */
let proof: Proof;
let further: Proof;
beforeAll(async () => {
  proof = await proofOn(paths);
  const left = lies.filter((mutant) => !fared(proof, mutant).includes('killed on memory/everything'));
  further = await proofOn(others, { only: left.map(({ id }) => id) });
}, 600_000);

const faredAnywhere = (mutant: { id: string }) => [...fared(proof, mutant), ...fared(further, mutant)];

describe('each behavioural mutant is killed by the guard that it is aimed at', () => {
  const told = lies.filter(({ id }) => !onlyOnServer.has(id) && !inertElsewhere.has(id));
  it.each(told.map((mutant) => [mutant.id, mutant] as const))('%s', (_id, mutant) => {
    const trials = faredAnywhere(mutant);
    expect(trials).toContainEqual(expect.stringMatching(/^killed on/));
    expect(trials.filter((trial) => !/^(killed|inert|not-applicable) on/.test(trial))).toEqual([]);
  });

  it.each([...onlyOnServer])('%s cannot be told here', (id) => {
    const trials = faredAnywhere({ id });
    expect(trials).toHaveLength(paths.length + others.length);
    expect(trials.filter((trial) => !trial.startsWith('not-applicable on'))).toEqual([]);
  });

  it.each([...inertElsewhere])('%s is not told here', (id) => {
    const trials = faredAnywhere({ id });
    expect(trials).toHaveLength(paths.length + others.length);
    expect(trials.filter((trial) => !/^(inert|not-applicable) on/.test(trial))).toEqual([]);
  });
});

it('the controls live', () => {
  expect([...killedControls(proof), ...killedControls(further)]).toEqual([]);
});

it('every guard that applies has a mutant aimed at it', () => {
  const { guards } = proof;
  expect(guards.length).toBeGreaterThan(80);
  expect(guards.filter(({ idle }) => idle).map(({ guard }) => guard)).toEqual([]);
});
