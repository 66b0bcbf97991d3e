import { expect, test } from 'vitest';
import { sampleProof, sampleTrial } from '../reporters/fixtures/sample-proof.ts';
import type { Proof, TrialStatus } from './proof.ts';
import { concludeProof, uncontrolledMusts } from './prove-conclusion.ts';

const ended = { interrupted: false, engineMissing: false, idleCounts: true };
const exitCode = (proof: Proof, over: Partial<typeof ended> = {}): number => {
  concludeProof(proof, { ...ended, ...over });
  return proof.exitCode;
};
const including = (...statuses: TrialStatus[]) =>
  sampleProof([sampleTrial(), ...statuses.map((status) => sampleTrial({ status, mutant: 'send-batch/another' }))]);

test.each<[TrialStatus, number]>([
  ['killed', 0],
  ['killed-too', 0],
  ['spared', 0],
  ['not-applicable', 0],
  ['survived', 1],
  ['accidental', 1],
  ['control-killed', 1],
  ['inert', 1],
  ['uncontrolled', 3],
  ['crashed', 5],
  ['timed-out', 5],
])('a trial that is %s ends the proof with %i', (status, code) => {
  expect(exitCode(including(status))).toBe(code);
});

test('the first exit code that applies is taken', () => {
  const proof = including('survived', 'uncontrolled', 'crashed');
  expect(exitCode(proof, { interrupted: true, engineMissing: true })).toBe(130);
  expect(exitCode(proof, { engineMissing: true })).toBe(4);
  expect(exitCode(proof)).toBe(5);
  expect(exitCode(including('survived', 'uncontrolled'))).toBe(1);
});

test('a mutant that lies on one path of a provider may be inert on others', () => {
  const inert = sampleTrial({ status: 'inert', path: 'sqlite/shared/prepared' });
  expect(exitCode(sampleProof([sampleTrial(), inert]))).toBe(0);
  const elsewhere = sampleTrial({ status: 'inert', provider: 'memory', path: 'memory' });
  const proof = sampleProof([sampleTrial(), elsewhere]);
  expect(exitCode(proof)).toBe(1);
  expect(proof.inertEverywhere).toEqual([{ mutant: 'send-batch/ids-reversed', provider: 'memory' }]);
  proof.mutants[0]!.only = 'a statement has more parameters, the more items a batch has';
  expect(exitCode(proof)).toBe(0);
});

test('where the backend itself breaks a must guard, that is said, whatever was inert', () => {
  const inert = sampleTrial({ status: 'inert', mutant: 'send-batch/another' });
  const proof = sampleProof([inert, sampleTrial({ status: 'uncontrolled', role: 'control' })]);
  expect(exitCode(proof)).toBe(3);
  expect(uncontrolledMusts(proof)).toEqual(['send-batch/ids-in-caller-order']);
});

test('nothing is proven where nothing was killed, or where doctor failed', () => {
  expect(exitCode(sampleProof([]))).toBe(3);
  expect(exitCode(sampleProof([sampleTrial({ status: 'not-applicable' })]))).toBe(3);
  const ill = sampleProof([sampleTrial()]);
  ill.paths[0]!.ill = 'doctor: restore';
  expect(exitCode(ill)).toBe(3);
});

test('a should guard that the backend itself breaks leaves nothing unproven that a must guard would', () => {
  const proof = including('uncontrolled');
  proof.guards[0]!.level = 'should';
  expect(exitCode(proof)).toBe(0);
});

test('an idle guard fails the proof, unless only some mutants were asked for', () => {
  const proof = sampleProof([sampleTrial()]);
  proof.guards[0]!.idle = true;
  expect(exitCode(proof)).toBe(1);
  expect(exitCode(proof, { idleCounts: false })).toBe(0);
});

test('k of n are those before their targets, where these apply', () => {
  const proof = sampleProof([
    sampleTrial(),
    sampleTrial({ status: 'inert', path: 'sqlite/shared/prepared' }),
    sampleTrial({ status: 'not-applicable', path: 'sqlite/memory/prepared' }),
    sampleTrial({ role: 'other', status: 'killed-too' }),
    sampleTrial({ role: 'control', status: 'spared' }),
  ]);
  expect(proof.killed).toEqual({ of: 2, killed: 1 });
});
