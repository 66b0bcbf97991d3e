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
    trace: [nasty],
    evidence: { [nasty]: nasty },
    replay: nasty,
    counterexample: { input: nasty, slots: [{ slot: 0, mark: 'torn', sent: nasty, expected: nasty, stored: nasty }] },
  };
  expect(render(verdict).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('what was sent to the engine stands below the counterexample, one line each', () => {
  const long = `#1 └ +0.20 write    INSERT ${'x'.repeat(100)} -> 1 row`;
  const verdict = { ...swappedIds, trace: ['2 statements', '#1 ┌ +0.00 begin    BEGIN ->', long] };
  const text = render(verdict).join('\n');
  expect(text).toContain(`

  sent to the engine
    2 statements
    #1 ┌ +0.00 begin    BEGIN ->
    #1 └ +0.20 write    INSERT x…xxxxxxxxxxxxxxxxxx -> 1 row

  seen `);
  expect(render(verdict, terminals.ascii).join('\n')).toContain('    #1 | +0.00 begin    BEGIN ->\n');
  expect(render({ ...swappedIds, trace: [] }).join('\n')).toContain('    nothing that could be recorded\n');
  expect(render(swappedIds).join('\n')).not.toContain('sent to the engine');
});

test('of a long trace the beginning and the end are shown', () => {
  const trace = Array.from({ length: 50 }, (_, i) => `line ${i}`);
  const lines = render({ ...swappedIds, trace });
  const first = lines.indexOf('    line 0');
  expect(lines.slice(first + 19, first + 22)).toEqual(['    line 19', '    … 10 more lines', '    line 30']);
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
