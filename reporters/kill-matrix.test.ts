import { expect, test } from 'vitest';
import type { Trial } from '../runner/proof.ts';
import { sampleProof, sampleTrial } from './fixtures/sample-proof.ts';
import { killMatrix } from './kill-matrix.ts';

const guards = ['send-batch/empty-batch', 'send-batch/not-here', 'send-batch/ids-in-caller-order'];

const matrixOf = (...trials: Trial[]) =>
  killMatrix(
    sampleProof(trials, {
      guards: guards.map((guard) => ({
        contract: 'send-batch',
        guard,
        level: 'must',
        mutants: [],
        applies: 1,
        idle: false,
      })),
    }),
  );
const other = (guard: string, status: Trial['status'], over: Partial<Trial> = {}) =>
  sampleTrial({ guard, role: 'other', status, ...over });

test('the matrix has a row for each mutant that was met, and a column for each guard that applies', () => {
  const text = matrixOf(
    sampleTrial(),
    other('send-batch/empty-batch', 'accidental'),
    other('send-batch/not-here', 'not-applicable'),
  );
  expect(text).toContain(`## sqlite/file/prepared

| mutant | 1 | 2 |
| --- | :-: | :-: |
| send-batch/ids-reversed | **A** | **K** |
`);
  expect(text).toContain('1. send-batch/empty-batch\n2. send-batch/ids-in-caller-order (own mutants only)');
  expect(text).toContain('| sqlite/file/prepared | 1 of 1 | 0 | 0 | 1 | 0 | 0 | 0 |');
  expect(text).toContain('| send-batch/ids-reversed | Reverses the ids. | send-batch/ids-in-caller-order |');
});

test('a guard has one number on all paths', () => {
  const text = matrixOf(
    other('send-batch/empty-batch', 'spared', { path: 'memory' }),
    sampleTrial({ path: 'sqlite/file/values' }),
  );
  expect(text).toContain('## sqlite/file/values\n\n| mutant | 2 |');
});

test('says why mutants are not met, and why they are inert', () => {
  const text = matrixOf(
    sampleTrial({ path: 'memory', status: 'not-applicable', message: 'cancel is not offered' }),
    sampleTrial({ status: 'inert' }),
  );
  expect(text).toContain('- cancel is not offered: send-batch/ids-reversed');
  expect(text).toContain('- send-batch/ids-reversed: no reason is known');
  expect(text).toContain('| memory | 0 of 0 | 0 | 0 | 0 | 0 | 0 | 1 |');
});

test('a mutant that other guards met is not listed as not met', () => {
  const text = matrixOf(
    sampleTrial({ status: 'not-applicable', message: 'the store lives in one thread' }),
    other('send-batch/empty-batch', 'spared'),
  );
  expect(text).toContain('| send-batch/ids-reversed | · |');
  expect(text).not.toContain('Not met here');
  expect(text).toContain(`Met here by other guards alone, since the one that it is aimed at does not apply:

- the store lives in one thread: send-batch/ids-reversed
`);
});
