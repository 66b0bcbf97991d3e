import { describe, expect, it } from 'vitest';
import { sampleVerdict } from '../reporters/fixtures/sample-report.ts';
import { exitCodeOf, summarize } from './exit-code.ts';
import type { EngineReport, Verdict } from './report.ts';

const healthy: EngineReport = { provider: 'memory', version: '1', modes: ['memory'], startMs: 0, kept: [], doctor: [] };
const ill: EngineReport = {
  ...healthy,
  doctor: [{ mode: 'memory', name: 'restore restores', ok: false, detail: 'a row was left' }],
};
const verdict = (change: Partial<Verdict>) => sampleVerdict({ guard: 'send-batch/empty-batch', ...change });
const upheld = verdict({ verdict: 'upheld' });
const violated = verdict({ verdict: 'violated' });
const warning = verdict({ verdict: 'violated', level: 'should' });
const vacuous = verdict({ verdict: 'vacuous' });
const error = verdict({ verdict: 'error' });
const notApplicable = verdict({ verdict: 'not-applicable' });
const brokenSetup = verdict({ guard: 'setup/probe-is-independent', verdict: 'violated' });

describe('the exit code', () => {
  it.each([
    ['every guard is upheld', [upheld, notApplicable], 0],
    ['a should clause is violated', [upheld, warning], 0],
    ['a must clause is violated', [upheld, violated], 1],
    ['a must clause is violated beside a vacuous guard', [violated, vacuous], 1],
    ['a guard is vacuous', [upheld, vacuous], 3],
    ['setup is broken', [upheld, brokenSetup], 3],
    ['setup is broken on one path and a clause on another', [violated, brokenSetup], 1],
    ['no guard applies', [notApplicable], 3],
    ['only a should guard is upheld', [verdict({ verdict: 'upheld', level: 'should' })], 3],
    ['the harness failed', [violated, error], 5],
    ['nothing was judged', [], 3],
  ])('when %s', (_name, verdicts, code) => {
    expect(exitCodeOf(verdicts, [healthy], { strict: false, interrupted: false, engineMissing: false })).toBe(code);
  });

  it('is 3 when the doctor found something, whatever the guards say', () => {
    expect(exitCodeOf([upheld], [ill], { strict: false, interrupted: false, engineMissing: false })).toBe(3);
  });

  it('is 1 for a violated should clause when the run is strict', () => {
    expect(exitCodeOf([upheld, warning], [healthy], { strict: true, interrupted: false, engineMissing: false })).toBe(
      1,
    );
  });

  it('is 130 when the run was interrupted, whatever was found before', () => {
    const o = { strict: false, interrupted: true, engineMissing: true };
    expect(exitCodeOf([violated, error], [healthy], o)).toBe(130);
  });

  it('is 4 when an engine was missing, whatever was found before', () => {
    const o = { strict: false, interrupted: false, engineMissing: true };
    expect(exitCodeOf([violated, error], [healthy], o)).toBe(4);
  });
});

it('the summary counts every verdict once', () => {
  expect(summarize([upheld, violated, warning, vacuous, error, notApplicable])).toEqual({
    upheld: 1,
    violated: 2,
    vacuous: 1,
    notApplicable: 1,
    error: 1,
    total: 6,
  });
});
