import { expect, test } from 'vitest';
import { sampleProof, sampleTrial } from './fixtures/sample-proof.ts';
import { killMatrix } from './kill-matrix.ts';

test('the matrix has a row for each mutant that was met, and a column for each guard that applies', () => {
  const guards = ['send-batch/ids-in-caller-order', 'send-batch/empty-batch', 'send-batch/not-here'];
  const text = killMatrix(
    sampleProof(
      [
        sampleTrial(),
        sampleTrial({ guard: guards[1]!, role: 'other', status: 'accidental' }),
        sampleTrial({ guard: guards[2]!, role: 'other', status: 'not-applicable' }),
      ],
      {
        guards: guards.map((guard) => ({
          contract: 'send-batch',
          guard,
          level: 'must',
          mutants: [],
          applies: 1,
          idle: false,
        })),
      },
    ),
  );
  expect(text).toContain(`## sqlite/file/prepared

1. send-batch/ids-in-caller-order
2. send-batch/empty-batch

| mutant | 1 | 2 |
| --- | :-: | :-: |
| send-batch/ids-reversed | **K** | **A** |
`);
  expect(text).toContain('1 accidental kills, 0 survivors');
});
