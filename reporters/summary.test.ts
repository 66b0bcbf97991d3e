import { expect, test } from 'vitest';
import { exitCodes as exitCodesOfRuns } from '../runner/exit-code.ts';
import { exitCodes, whyExit } from './exit-codes.ts';
import { mixedVerdicts, sampleReport, sampleVerdict, vacuousVisibility } from './fixtures/sample-report.ts';
import { terminals } from './fixtures/terminals.ts';
import { renderSummary } from './summary.ts';

test('what does not apply is counted by reason, and by whose reason it is', () => {
  const backend = { verdict: 'not-applicable', by: 'backend', reason: 'transaction is not offered' } as const;
  const verdicts = [
    ...Array.from({ length: 12 }, () => sampleVerdict(backend)),
    sampleVerdict({ ...backend, reason: 'cancel is not offered' }),
    sampleVerdict({ ...backend, by: 'engine', reason: 'no second reader' }),
    sampleVerdict({ ...backend, by: 'host', reason: 'needs two threads' }),
  ];
  expect(renderSummary(sampleReport(verdicts, { exitCode: 3 }), terminals.wide)).toEqual([
    '13 guards not applicable: the backend lacks it',
    '  12  transaction is not offered',
    '   1  cancel is not offered',
    '1 guard not applicable: the engine has no means',
    '  1  no second reader',
    '1 guard not applicable: this host cannot judge it',
    '  1  needs two threads',
    '',
    '0 of 15 guards upheld on 1 path',
    '15 not applicable',
    '12 cases, 300 generated inputs, 12,345 items',
    'seed 42, clause set 1, 3.2 s (first verdict after 140 ms)',
    'exit code 3: nothing proven: no must guard applies',
  ]);
});

test('cases that were left out are told, a paragraph for each reason', () => {
  const leftOut = (name: string, reason: string) => ({ name, verdict: 'not-applicable' as const, reason });
  const verdicts = [
    sampleVerdict({
      cases: [{ name: 'milliseconds', verdict: 'upheld' }, leftOut('in-another-zone', 'it has no zones')],
    }),
    sampleVerdict({
      cases: [leftOut('in-another-zone', 'it has no zones'), leftOut('after-a-cut', 'there is no wire')],
    }),
    sampleVerdict({ cases: [leftOut('at-another-hour', 'it has no zones')] }),
    sampleVerdict({ verdict: 'not-applicable', cases: [leftOut('of-nothing', 'nothing was judged')] }),
  ];
  const lines = renderSummary(sampleReport(verdicts), terminals.wide);
  expect(lines.filter((line) => line.startsWith('left out'))).toEqual([
    'left out: in-another-zone, at-another-hour (it has no zones)',
    'left out: after-a-cut (there is no wire)',
  ]);
});

test('the same path under two contracts is one path', () => {
  const paths = ['send-batch', 'update-batch'].map((contract) => ({ ...sampleReport([]).paths[0]!, contract }));
  expect(renderSummary(sampleReport([], { paths }), terminals.wide)[0]).toBe('0 of 0 guards upheld on 1 path');
});

test('every exit code that a run can end with has a meaning', () => {
  expect(exitCodes.map((e) => e.code).sort((a, b) => a - b)).toEqual(Object.keys(exitCodesOfRuns).map(Number));
});

const brokenSetup = sampleVerdict({ guard: 'setup/namespace-exists', verdict: 'violated' });

test.each([
  [0, [sampleVerdict()], 'every guard that applies is upheld'],
  [
    0,
    [sampleVerdict(), sampleVerdict({ level: 'should', verdict: 'violated' })],
    'every must guard that applies is upheld',
  ],
  [1, mixedVerdicts, 'a must clause is violated'],
  [
    1,
    [sampleVerdict({ level: 'should', verdict: 'violated' })],
    'a should clause is violated, and --strict makes it count',
  ],
  [3, [vacuousVisibility], 'nothing proven: a guard did not see what it must have seen'],
  [3, [brokenSetup], 'nothing proven: setup did not hold'],
  [3, [], 'nothing proven: no must guard applies'],
  [4, [], 'no engine could be had, so nothing was judged'],
  [5, [], 'the harness itself failed'],
])('exit code %i says why', (exitCode, verdicts, why) => {
  expect(whyExit(sampleReport(verdicts, { exitCode }))).toBe(why);
});

test('an interrupted run says so', () => {
  const report = sampleReport([], { exitCode: 130, interrupted: 'interrupted before all guards had run' });
  expect(whyExit(report)).toBe('interrupted before all guards had run');
});

test('a run whose engine ended says so', () => {
  const report = sampleReport([], { exitCode: 4, interrupted: 'postgres ended during the run: nothing answers' });
  expect(whyExit(report)).toBe('postgres ended during the run: nothing answers');
});

test('an engine that was absent is named with the reason', () => {
  const report = sampleReport([sampleVerdict()], { absent: [{ provider: 'postgres', reason: 'pg is not installed' }] });
  expect(renderSummary(report, terminals.wide)[0]).toBe('absent  postgres: pg is not installed');
});

test('guards that were not judged are counted apart from vacuous ones', () => {
  const reason = 'not judged: setup/namespace-exists did not hold';
  const verdicts = [brokenSetup, sampleVerdict({ verdict: 'vacuous', reason }), vacuousVisibility];
  expect(renderSummary(sampleReport(verdicts, { exitCode: 3 }), terminals.wide)[1]).toBe(
    '1 violated, 1 vacuous, 1 not judged',
  );
});

test('what was kept is counted, with its folder', () => {
  const report = sampleReport([sampleVerdict({})]);
  const server = '/tmp/pg/data (/tmp/pg/KEPT tells how to start a server on it)';
  report.engines[0]!.kept = [
    { name: 'a.db', where: '/tmp/kept' },
    { name: 'ct_1', where: server },
    { name: 'b.db', where: '/tmp/kept' },
    { name: 'ct_2', where: server },
  ];
  expect(renderSummary(report, terminals.wide).slice(0, 3)).toEqual([
    'kept    2 namespaces in /tmp/kept',
    'kept    2 namespaces in /tmp/pg/data (/tmp/pg/KEPT tells how to start a server on it)',
    '',
  ]);
});
