import { expect, test } from 'vitest';
import type { Verdict } from '../runner/report.ts';
import { sampleVerdict } from './fixtures/sample-report.ts';
import { terminals } from './fixtures/terminals.ts';
import { renderPathEnd, renderVerdictLine } from './path.ts';

test.each<[string, Partial<Verdict>, boolean, string]>([
  ['a should clause that is violated', { level: 'should', verdict: 'violated' }, false, '✓ 1 upheld, 1 violated'],
  ['one that counts', { level: 'should', verdict: 'violated' }, true, '✗ 1 upheld, 1 violated'],
  ['one that proves nothing', { level: 'should', verdict: 'vacuous' }, false, '✗ 1 upheld, 1 vacuous'],
  ['a failure of the harness', { level: 'should', verdict: 'error' }, false, '✗ 1 upheld, 1 failed in the harness'],
])('a path with %s ends with the sign that goes with the exit code', (_name, over, strict, line) => {
  const verdicts = [sampleVerdict(), sampleVerdict({ guard: 'a', message: 'no', ...over })];
  expect(renderPathEnd(verdicts, { guards: 2, ms: 500, strict }, terminals.wide)).toEqual([`  ${line}, 500 ms`]);
});

test('the guard has a line of its own where there is no room beside the verdict', () => {
  const verdict = sampleVerdict({ guard: 'setup/capability-survives-wrapping', verdict: 'violated' });
  expect(renderVerdictLine(verdict, { ...terminals.wide, width: 40 }, false)).toEqual([
    '  ✗ VIOLATED',
    '    setup/capability-survives-wrapping',
  ]);
});
