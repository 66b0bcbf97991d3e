import { expect, test } from 'vitest';
import type { Verdict } from '../runner/report.ts';
import { renderFinding } from './finding.ts';
import { sampleVerdict, swappedIds } from './fixtures/sample-report.ts';
import { terminals } from './fixtures/terminals.ts';

const render = (verdict: Verdict, terminal = terminals.narrow) =>
  renderFinding(verdict, [], terminal, { strict: false, debug: false });

test('a finding with one case and no counterexample', () => {
  const verdict = sampleVerdict({
    verdict: 'violated',
    case: 'empty',
    cases: [{ name: 'empty', verdict: 'violated' }],
    message: 'the call threw TypeError: Cannot read properties of undefined (reading "id")',
    replay: 'npx contract-test --guard send-batch/empty-batch --seed 42',
  });
  expect(`\n${render(verdict).join('\n')}\n`).toBe(`
✗ VIOLATED  send-batch/empty-batch  (must)
  sqlite/file/prepared, backend my-queue
  rule   An empty batch has zero outcomes, raises no error
         and writes nothing.

  in empty: the call threw TypeError: Cannot read properties
  of undefined (reading "id")

  seen   batches sent 1
  replay npx contract-test --guard send-batch/empty-batch --seed 42
`);
});

test('nothing that a subject wrote steers the terminal', () => {
  const nasty = '\x1b]0;title\x07\r\u202e';
  const verdict: Verdict = {
    ...swappedIds,
    backend: nasty,
    message: nasty,
    case: nasty,
    cases: [
      { name: nasty, verdict: 'violated' },
      { name: 'other', verdict: 'upheld' },
    ],
    evidence: { [nasty]: nasty },
    replay: nasty,
    counterexample: { input: nasty, slots: [{ slot: 0, mark: 'torn', sent: nasty, expected: nasty, stored: nasty }] },
  };
  expect(render(verdict).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('a message of many lines is cut, and says so', () => {
  const message = Array.from({ length: 25 }, (_, i) => `line ${i}`).join('\n');
  const lines = render(sampleVerdict({ verdict: 'violated', message }));
  expect(lines).toContain('  line 19');
  expect(lines).toContain('  … 5 more lines');
  expect(lines).not.toContain('  line 20');
});

test('of many cases the first are named', () => {
  const cases = Array.from({ length: 40 }, (_, i) => ({ name: `size-${i}`, verdict: 'upheld' as const }));
  const text = render({ ...swappedIds, cases: [...cases, { name: 'chunk-third', verdict: 'violated' }] }).join('\n');
  expect(text).toContain('red in chunk-third\n');
  expect(text).toContain('size-9, and 30 more');
});

test('the command to replay is never broken', () => {
  expect(render(swappedIds)).toContain(`  replay ${swappedIds.replay}`);
});
