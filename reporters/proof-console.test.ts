import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Proof } from '../runner/proof.ts';
import { sampleProof, sampleTrial } from './fixtures/sample-proof.ts';
import { terminals } from './fixtures/terminals.ts';
import { proofConsole } from './proof-console.ts';
import { whyProofExit } from './proof-text.ts';

/** What the console shows of a proof, from its first path on; times are left out. */
function shown(proof: Proof, terminal = terminals.wide): string {
  const stream = new PassThrough();
  const reporter = proofConsole(stream, terminal, proof.seed);
  for (const path of proof.paths) {
    const trials = proof.trials.filter((trial) => trial.path === path.path);
    reporter.pathStarted!(path, trials.length);
    trials.forEach((trial, i) => {
      reporter.trial!(trial, { done: i + 1, total: trials.length });
    });
  }
  reporter.finished!(proof);
  return `\n${String(stream.read()).replace(/, \d+ ms$/m, '')}`;
}

const control = sampleTrial({ role: 'control', mutant: 'send-batch/pass-through', status: 'spared', message: null });

test('mutants that are killed are one line each', () => {
  expect(shown(sampleProof([control, sampleTrial()]))).toBe(`
✓ sqlite/file/prepared: send-batch, backend my-queue: 1 of 1 mutant killed

send-batch/ids-in-caller-order
  send-batch/ids-reversed  killed on 1 path

1 of 1 mutant killed by their targets on 1 path
1 spared
seed 7, clause set 1, 1.5 s
exit code 0: every guard that applies fails when it must, and lets the controls live
`);
});

test('on a narrow terminal nothing but the command that shows a trial again is too wide', () => {
  const survivor = sampleTrial({ status: 'survived', verdict: 'upheld', message: null, case: null });
  const lines = shown(sampleProof([control, survivor]), { ...terminals.wide, width: 40 }).split('\n');
  expect(lines.filter((line) => line.length > 40 && !line.startsWith('  replay  '))).toEqual([]);
});

test('a survivor is told with its lie, the verdict and the command that shows it again', () => {
  const survivor = sampleTrial({ status: 'survived', verdict: 'upheld', message: null, case: null });
  expect(shown(sampleProof([control, survivor]))).toContain(`
✗ SURVIVED  send-batch/ids-reversed before send-batch/ids-in-caller-order on sqlite/file/prepared
  backend my-queue
  lie     Reverses the ids.
  verdict upheld
  lied    3 times
  replay  npx contract-test --provider sqlite/file/prepared --mutant send-batch/ids-reversed --guard send-batch/ids-in-caller-order --seed 7

0 of 1 mutant killed by their targets on 1 path
1 survived, 1 spared
seed 7, clause set 1, 1.5 s
exit code 1: 1 mutant survived
`);
});

test('a control that is killed is told once, without the mutants that it keeps from counting', () => {
  const killed = { ...control, status: 'control-killed', message: '1 of 2 messages is not stored' } as const;
  const text = shown(sampleProof([killed, sampleTrial({ status: 'uncontrolled' })]));
  expect(text.match(/^✗ CONTROL-KILLED/gm)).toHaveLength(2);
  expect(text).not.toContain('✗ UNCONTROLLED');
  expect(text).toContain('send-batch/ids-reversed  uncontrolled on sqlite/file/prepared');
  expect(text).toContain('exit code 1: 1 control was killed');
});

test('what does not apply is counted by reason, and what is inert everywhere is named', () => {
  const on = (path: string, over: Parameters<typeof sampleTrial>[0]) => sampleTrial({ path, ...over });
  const text = shown(
    sampleProof([
      on('sqlite/file/loop', { status: 'not-applicable', message: 'ids is given up: it returns none' }),
      on('sqlite/file/loop', { ...control, status: 'not-applicable', message: 'ids is given up: it returns none' }),
      on('sqlite/file/values', { status: 'inert', verdict: 'upheld', lies: 0 }),
    ]),
  );
  expect(text).toContain('\n1 mutant not applicable\n  1  ids is given up: it returns none\n');
  expect(text).toContain('not-applicable on 1 of 2, inert on sqlite/file/values');
  expect(text).toContain('\n1 inert, 1 not-applicable\n');
  expect(text).toContain('\n✗ INERT  send-batch/ids-reversed told no lie on any path of sqlite\n');
});

test('an idle guard is named', () => {
  const guards = [
    {
      contract: 'send-batch',
      guard: 'send-batch/empty-batch',
      level: 'must' as const,
      mutants: [],
      applies: 1,
      idle: true,
    },
  ];
  const text = shown(sampleProof([sampleTrial()], { guards }));
  expect(text).toContain('send-batch/empty-batch\n  ✗ IDLE  no mutant is aimed at it\n');
  expect(text).toContain('exit code 1: 1 guard is idle');
});

test('a path on which doctor failed is told of, and nothing is proven', () => {
  const proof = sampleProof([sampleTrial()]);
  proof.paths.push({ ...proof.paths[0]!, path: 'sqlite/memory/prepared', ill: 'doctor: restore (rows are left)' });
  expect(shown(proof)).toContain('not tried: doctor: restore (rows are left)');
  expect(whyProofExit({ ...proof, exitCode: 3 })).toBe('nothing was tried on sqlite/memory/prepared');
});

test('mutants that an interrupted proof did not come to are named as such', () => {
  expect(shown(sampleProof([control], { interrupted: 'interrupted before all mutants had been tried' }))).toContain(
    '  send-batch/ids-reversed  not tried\n',
  );
});

test('a backend that is red itself before a must guard is named as the reason', () => {
  const red = sampleProof([{ ...control, status: 'uncontrolled' }, sampleTrial({ status: 'uncontrolled' })]);
  expect(shown(red)).toContain(
    'exit code 3: not proven: the backend itself is red before send-batch/ids-in-caller-order\n',
  );
});

test('the seed is told first, with the engine', () => {
  const stream = new PassThrough();
  const reporter = proofConsole(stream, terminals.wide, 7);
  expect(stream.read()).toBe(null);
  for (const engine of sampleProof([]).engines) reporter.engineStarted!(engine);
  expect(String(stream.read())).toMatch(/^seed {4}7\nengine {2}/);
});
