import { beforeAll, describe, expect, it } from 'vitest';
import { fared, killedControls, lies, onlyOnServer, proofOn } from './fixtures/proving.ts';
import type { Proof } from './proof.ts';

// Between them every guard applies that needs no server.
const paths = [
  'sqlite/file/values',
  'memory/everything',
  'memory/pipeline',
  'memory/refuse-duplicates',
  'memory/replace-duplicates',
];

let proof: Proof;
beforeAll(async () => {
  proof = await proofOn(paths);
  // Paths are proved side by side.
  proof.trials.sort((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path));
}, 600_000);

describe('each behavioural mutant is killed by the guard that it is aimed at', () => {
  const told = lies.filter(({ id }) => !onlyOnServer.has(id));
  it.each(told.map((m) => [m.id, m] as const))('%s', (_id, mutant) => {
    const trials = fared(proof, mutant);
    expect(trials).toContainEqual(expect.stringMatching(/^killed on/));
    expect(trials.filter((trial) => !/^(killed|inert|not-applicable) on/.test(trial))).toEqual([]);
  });

  it.each([...onlyOnServer])('%s cannot be told here', (id) => {
    const trials = fared(proof, { id });
    expect(trials).toEqual(paths.map((path) => expect.stringMatching(`^not-applicable on ${path}: `)));
  });
});

it('the controls live', () => {
  expect(killedControls(proof)).toEqual([]);
});

it('every guard that applies has a mutant aimed at it', () => {
  expect(proof.guards.filter(({ idle }) => idle).map(({ guard }) => guard)).toEqual([]);
});
