import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { PathReport, Report, Verdict } from '../runner/report.ts';
import { type ConsoleOptions, consoleReporter } from './console.ts';
import {
  harnessError,
  mixedVerdicts,
  sampleEngines,
  samplePath,
  sampleReport,
  sampleVerdict,
  swappedIds,
} from './fixtures/sample-report.ts';
import { terminals } from './fixtures/terminals.ts';
import type { Terminal } from './terminal.ts';

const memory: PathReport = {
  ...samplePath,
  path: 'sqlite/memory/prepared',
  givesUp: {},
  console: { bytes: 12_345, text: '\x1b[31mhello\x1b[39m from the subject\nand more\n' },
};

/** What the console shows of a run: a line break in front, so that expected texts can stand below their backquote. */
function shown(report: Report, terminal: Terminal, options: Partial<ConsoleOptions> = {}): string {
  const stream = new PassThrough();
  let clock = 0;
  const now = () => {
    clock += 500;
    return clock;
  };
  const reporter = consoleReporter(stream, terminal, { strict: false, debug: false, seed: 42, now, ...options });
  for (const engine of report.engines) reporter.engineStarted!(engine);
  for (const path of report.paths) {
    const verdicts = report.verdicts.filter((v) => v.path === path.path);
    reporter.pathStarted!(path, verdicts.length);
    verdicts.forEach((verdict, i) => {
      reporter.verdict!(verdict, { done: i + 1, total: verdicts.length });
    });
  }
  reporter.finished!(report);
  return `\n${stream.read()}`;
}

const mixed = sampleReport(mixedVerdicts, { exitCode: 1, paths: [samplePath, memory] });

test('paths that are judged side by side are told of one after the other, also when the run ends before them', () => {
  const stream = new PassThrough();
  const reporter = consoleReporter(stream, terminals.wide, { strict: false, debug: false, seed: 42, now: () => 0 });
  const [first, second, third] = ['first', 'second', 'third'].map((path) => ({ ...samplePath, givesUp: {}, path }));
  const red = ({ path }: PathReport) => sampleVerdict({ path, verdict: 'violated', message: 'no' });
  const progress = { done: 1, total: 5 };
  reporter.pathStarted!(first!, 2);
  reporter.verdict!({ ...red(first!), guard: 'a' }, progress);
  reporter.pathStarted!(second!, 1);
  reporter.verdict!({ ...red(second!), guard: 'b' }, progress);
  reporter.pathStarted!(third!, 2);
  reporter.verdict!({ ...red(third!), guard: 'c' }, progress);
  expect(stream.read().toString()).toBe(`
first: send-batch, backend my-queue, 2 guards
  ✗ VIOLATED  a
`);
  reporter.verdict!({ ...red(first!), guard: 'd' }, progress);
  expect(stream.read().toString()).toBe(`  ✗ VIOLATED  d
  ✗ 0 upheld, 2 violated, 0 ms

second: send-batch, backend my-queue, 1 guard
  ✗ VIOLATED  b
  ✗ 0 upheld, 1 violated, 0 ms

third: send-batch, backend my-queue, 2 guards
  ✗ VIOLATED  c
`);
  reporter.finished!(sampleReport([]));
  expect(stream.read().toString()).toMatch(/^ {2}✗ 0 upheld, 1 violated, 1 not judged, 0 ms\n/);
});

test('a whole run on a wide terminal', () => {
  expect(shown(mixed, terminals.wide)).toBe(`
seed    42
engine  sqlite 3.51.2 (file, memory), up in 12 ms, doctor ok (2 checks)

sqlite/file/prepared: send-batch, backend my-queue, 8 guards
  gives up isolated: every chunk is committed by itself
  ✗ VIOLATED  send-batch/ids-in-caller-order
  ! WARNING  send-batch/is-one-commit
  ✗ VACUOUS  send-batch/no-partial-visibility
  ✗ ERROR  send-batch/nothing-arrives-late
  ✗ 1 upheld, 2 violated, 1 vacuous, 1 failed in the harness, 3 not applicable, 500 ms

sqlite/memory/prepared: send-batch, backend my-queue, 1 guard
  ✗ VIOLATED  send-batch/ids-in-caller-order
  ✗ 0 upheld, 1 violated, 500 ms

── finding 1 of 4 ──────────────────────────────────────────────────────────────────────────────────────────────────────
✗ VIOLATED  send-batch/ids-in-caller-order  (must)
  sqlite/file/prepared, backend my-queue
  rule   The row behind the id in outcome i holds message i, for every size, on an empty and on a filled table.

  in chunk-third: the ids of 2 outcomes lead to rows of other messages, the first at slot 200

  red in chunk-third
  green in chunk-first, chunk-second

  input  257 messages over 3 chunks of 100, on an empty table
  slot  mark       sent                                                                     expected  stored
  … 199 more slots ok
   199  ok         {"body":{"nonce":"7f3a-199","text":…g enough to be cut in its middle"}}  7f3a-199  id 200 -> 7f3a-199
   200  reordered  {"body":{"nonce":"7f3a-200","text":…g enough to be cut in its middle"}}  7f3a-200  id 202 -> 7f3a-201
   201  reordered  {"body":{"nonce":"7f3a-201","text":…g enough to be cut in its middle"}}  7f3a-201  id 201 -> 7f3a-200
   202  ok         {"body":{"nonce":"7f3a-202","text":…g enough to be cut in its middle"}}  7f3a-202  id 203 -> 7f3a-202
  … 54 more slots ok

  seen   chunks crossed 3, items sent 771
  also   on sqlite/memory/prepared
  replay npx contract-test --provider sqlite/file/prepared --guard send-batch/ids-in-caller-order --seed 42 --replay chunk-third

── finding 2 of 4 ──────────────────────────────────────────────────────────────────────────────────────────────────────
✗ ERROR  send-batch/nothing-arrives-late  (must)
  sqlite/file/prepared, backend my-queue
  rule   After the call has settled nothing of the batch appears, changes or disappears.

  the harness failed: the adapter has no \`rows\` and no \`probe\`

  seen   batches sent 1

── finding 3 of 4 ──────────────────────────────────────────────────────────────────────────────────────────────────────
✗ VACUOUS  send-batch/no-partial-visibility  (must)
  sqlite/file/prepared, backend my-queue
  rule   A reader that samples while the write is in flight sees all of the batch or nothing.

  nothing is proven: the evidence "reads in flight" is missing

  seen   reads in flight 0
  replay npx contract-test --provider sqlite/file/prepared --guard send-batch/no-partial-visibility --seed 42

── finding 4 of 4 ──────────────────────────────────────────────────────────────────────────────────────────────────────
! WARNING  send-batch/is-one-commit  (should)
  sqlite/file/prepared, backend my-queue
  rule   One transaction a batch, however many chunks.

  in two chunks: the batch took 2 commits

  seen   batches sent 1

console of sqlite/memory/prepared: 12,345 bytes, first line: hello from the subject

2 guards not applicable: the backend lacks it
  2  transaction is not offered
1 guard not applicable: the engine has no means
  1  a database in memory has no process that could be killed

1 of 9 guards upheld on 2 paths
2 violated, 1 should clause violated, 1 vacuous, 1 failed in the harness, 3 not applicable
12 cases, 300 generated inputs, 12,345 items
seed 42, clause set 1, 3.2 s (first verdict after 140 ms)
exit code 1: a must clause is violated
`);
});

test('a whole run on a narrow terminal', () => {
  expect(shown(mixed, terminals.narrow)).toBe(`
seed    42
engine  sqlite 3.51.2 (file, memory), up in 12 ms, doctor ok
        (2 checks)

sqlite/file/prepared: send-batch, backend my-queue, 8
  guards
  gives up isolated: every chunk is committed by itself
  ✗ VIOLATED  send-batch/ids-in-caller-order
  ! WARNING  send-batch/is-one-commit
  ✗ VACUOUS  send-batch/no-partial-visibility
  ✗ ERROR  send-batch/nothing-arrives-late
  ✗ 1 upheld, 2 violated, 1 vacuous, 1 failed in the
    harness, 3 not applicable, 500 ms

sqlite/memory/prepared: send-batch, backend my-queue, 1
  guard
  ✗ VIOLATED  send-batch/ids-in-caller-order
  ✗ 0 upheld, 1 violated, 500 ms

── finding 1 of 4 ──────────────────────────────────────────
✗ VIOLATED  send-batch/ids-in-caller-order  (must)
  sqlite/file/prepared, backend my-queue
  rule   The row behind the id in outcome i holds message i,
         for every size, on an empty and on a filled table.

  in chunk-third: the ids of 2 outcomes lead to rows of
  other messages, the first at slot 200

  red in chunk-third
  green in chunk-first, chunk-second

  input  257 messages over 3 chunks of 100, on an empty
         table
  slot  mark       sent             expected  stored
  … 199 more slots ok
   199  ok         {"body"…ddle"}}  7f3a-199  id 200 …3a-199
   200  reordered  {"body"…ddle"}}  7f3a-200  id 202 …3a-201
   201  reordered  {"body"…ddle"}}  7f3a-201  id 201 …3a-200
   202  ok         {"body"…ddle"}}  7f3a-202  id 203 …3a-202
  … 54 more slots ok

  seen   chunks crossed 3, items sent 771
  also   on sqlite/memory/prepared
  replay npx contract-test --provider sqlite/file/prepared --guard send-batch/ids-in-caller-order --seed 42 --replay chunk-third

── finding 2 of 4 ──────────────────────────────────────────
✗ ERROR  send-batch/nothing-arrives-late  (must)
  sqlite/file/prepared, backend my-queue
  rule   After the call has settled nothing of the batch
         appears, changes or disappears.

  the harness failed: the adapter has no \`rows\` and no
  \`probe\`

  seen   batches sent 1

── finding 3 of 4 ──────────────────────────────────────────
✗ VACUOUS  send-batch/no-partial-visibility  (must)
  sqlite/file/prepared, backend my-queue
  rule   A reader that samples while the write is in flight
         sees all of the batch or nothing.

  nothing is proven: the evidence "reads in flight" is
  missing

  seen   reads in flight 0
  replay npx contract-test --provider sqlite/file/prepared --guard send-batch/no-partial-visibility --seed 42

── finding 4 of 4 ──────────────────────────────────────────
! WARNING  send-batch/is-one-commit  (should)
  sqlite/file/prepared, backend my-queue
  rule   One transaction a batch, however many chunks.

  in two chunks: the batch took 2 commits

  seen   batches sent 1

console of sqlite/memory/prepared: 12,345 bytes, first line:
hello from the subject

2 guards not applicable: the backend lacks it
  2  transaction is not offered
1 guard not applicable: the engine has no means
  1  a database in memory has no process that could be
     killed

1 of 9 guards upheld on 2 paths
2 violated, 1 should clause violated, 1 vacuous, 1 failed in
the harness, 3 not applicable
12 cases, 300 generated inputs, 12,345 items
seed 42, clause set 1, 3.2 s (first verdict after 140 ms)
exit code 1: a must clause is violated
`);
});

test('a run without trouble is short', () => {
  const path = { ...samplePath, givesUp: {} };
  expect(shown(sampleReport([sampleVerdict()], { paths: [path] }), terminals.wide)).toBe(`
seed    42
engine  sqlite 3.51.2 (file, memory), up in 12 ms, doctor ok (2 checks)

sqlite/file/prepared: send-batch, backend my-queue, 1 guard
  ✓ 1 upheld, 500 ms

1 of 1 guard upheld on 1 path
12 cases, 300 generated inputs, 12,345 items
seed 42, clause set 1, 3.2 s (first verdict after 140 ms)
exit code 0: every guard that applies is upheld
`);
});

test('no line is wider than the terminal, except commands that are to be copied', () => {
  for (const terminal of [terminals.narrow, terminals.ascii]) {
    const lines = shown(mixed, terminal).split('\n');
    expect(lines.filter((line) => line.length > terminal.width && !line.includes('replay npx'))).toEqual([]);
  }
});

test('an ASCII terminal is sent nothing but ASCII', () => {
  expect(shown(mixed, terminals.ascii)).toMatch(/^[\x20-\x7e\n]*$/);
});

test('a pipe is sent no control codes', () => {
  expect(shown(mixed, terminals.wide)).not.toContain('\x1b');
  expect(shown(mixed, terminals.wide)).not.toContain('\r');
});

test('with --debug all that a subject wrote to the console is shown', () => {
  expect(shown(mixed, terminals.wide, { debug: true })).toContain(
    'console of sqlite/memory/prepared: 12,345 bytes\n  hello from the subject\n  and more\n',
  );
});

test('with --debug the stack of a failed harness is shown', () => {
  const failed = { ...harnessError };
  Object.defineProperty(failed, 'stack', { value: 'Error: the adapter\n    at somewhere', enumerable: false });
  const report = sampleReport([failed], { exitCode: 5 });
  expect(shown(report, terminals.wide, { debug: true })).toContain('  Error: the adapter\n      at somewhere\n');
  expect(shown(report, terminals.wide)).not.toContain('at somewhere');
});

test('with --strict a violated should clause is no warning', () => {
  expect(shown(mixed, terminals.wide)).toContain('! WARNING  send-batch/is-one-commit  (should)');
  expect(shown(mixed, terminals.wide, { strict: true })).toContain('✗ VIOLATED  send-batch/is-one-commit  (should)');
});

test('a failed check of doctor is shown with what was seen', () => {
  const check = { mode: 'file', name: 'a restore restores', ok: false, detail: '3 rows stayed' };
  const engines = [{ ...sampleEngines[0]!, doctor: [check] }];
  const text = shown(sampleReport([], { engines, exitCode: 3, paths: [] }), terminals.wide);
  expect(text).toContain('doctor failed\n  ✗ file: a restore restores: 3 rows stayed\n');
  expect(text).toContain('exit code 3: nothing proven: doctor failed');
});

test('a live terminal has one line that is written over, and clears it at the end', () => {
  const stream = new PassThrough();
  const reporter = consoleReporter(stream, terminals.live, { strict: false, debug: false, seed: 42, now: () => 0 });
  reporter.pathStarted!({ ...samplePath, givesUp: {} }, 2);
  stream.read();
  reporter.verdict!(sampleVerdict(), { done: 1, total: 2 });
  expect(String(stream.read())).toBe('\r\x1b[K  1 of 2  send-batch/empty-batch');
  reporter.verdict!(swappedIds, { done: 2, total: 2 });
  expect(String(stream.read())).toBe(
    [
      '\r\x1b[K  ✗ VIOLATED  send-batch/ids-in-caller-order\n',
      '\r\x1b[K  1 of 2  send-batch/empty-batch',
      '\r\x1b[K  2 of 2  send-batch/ids-in-caller-order',
      '\r\x1b[K  ✗ 1 upheld, 1 violated, 0 ms\n',
    ].join(''),
  );
});

const brokenProbe: Verdict = sampleVerdict({
  guard: 'setup/probe-is-independent',
  statement: 'A row written raw is seen by the probe and gone after a raw delete.',
  verdict: 'violated',
  message: 'the probe still sees the row',
});

test('broken setup says plainly that nothing else was judged', () => {
  const unjudged = sampleVerdict({ verdict: 'vacuous', reason: 'not judged: setup/probe-is-independent did not hold' });
  const report = sampleReport([brokenProbe, unjudged, unjudged], { exitCode: 3 });
  const text = shown(report, terminals.narrow);
  expect(text).toContain(`
  ✗ VIOLATED  setup/probe-is-independent
  ✗ 0 upheld, 1 violated, 2 not judged, 500 ms
  setup/probe-is-independent did not hold, so nothing else
  on this path was judged
`);
  expect(text).toContain('finding 1 of 1');
});

test('an engine that is absent is told when that is known, below the seed', () => {
  const stream = new PassThrough();
  const reporter = consoleReporter(stream, terminals.wide, { strict: false, debug: false, seed: 42, now: () => 0 });
  reporter.engineAbsent!({ provider: 'postgres', reason: 'pg is not installed' });
  reporter.engineStarted!(sampleEngines[0]!);
  expect(String(stream.read())).toMatch(/^seed {4}42\nabsent {2}postgres: pg is not installed\n\nengine {2}sqlite /);
});

test('a path that was interrupted says how many guards were not judged', () => {
  const stream = new PassThrough();
  const reporter = consoleReporter(stream, terminals.wide, { strict: false, debug: false, seed: 42, now: () => 0 });
  reporter.pathStarted!(samplePath, 40);
  reporter.verdict!(sampleVerdict(), { done: 1, total: 40 });
  reporter.finished!(sampleReport([sampleVerdict()], { exitCode: 130, interrupted: 'interrupted' }));
  expect(String(stream.read())).toContain('  ✗ 1 upheld, 39 not judged, 0 ms\n');
});
