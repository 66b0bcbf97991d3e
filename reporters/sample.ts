import type { SlotLine } from '../contracts/kernel/counterexample.ts';
import type { EngineReport, PathReport, Report, Verdict } from '../runner/report.ts';

/** A verdict for tests: upheld on sqlite/file/prepared, except for what is given. */
export function sampleVerdict(over: Partial<Verdict> = {}): Verdict {
  const path = over.path ?? 'sqlite/file/prepared';
  const [provider, mode, variant] = path.split('/') as [string, string, string];
  return {
    guard: 'send-batch/empty-batch',
    level: 'must',
    statement: 'An empty batch has zero outcomes, raises no error and writes nothing.',
    contract: 'send-batch',
    backend: 'my-queue',
    provider,
    mode,
    variant,
    path,
    verdict: 'upheld',
    case: null,
    cases: [],
    message: null,
    counterexample: null,
    evidence: { 'batches sent': 1 },
    replay: null,
    reason: null,
    by: null,
    durationMs: 4,
    ...over,
  };
}

/** A batch of 257 in which slots 200 and 201 were answered with each other's ids. */
export function sampleSlots(): SlotLine[] {
  return Array.from({ length: 257 }, (_, slot): SlotLine => {
    const swapped = slot === 200 ? 201 : slot === 201 ? 200 : slot;
    return {
      slot,
      mark: swapped === slot ? 'ok' : 'reordered',
      sent: `{"body":{"nonce":"7f3a-${slot}","text":"a text that is long enough to be cut in its middle"}}`,
      expected: `7f3a-${slot}`,
      stored: `id ${swapped + 1} -> 7f3a-${swapped}`,
    };
  });
}

export const swappedIds = sampleVerdict({
  guard: 'send-batch/ids-in-caller-order',
  statement: 'The row behind the id in outcome i holds message i, for every size, on an empty and on a filled table.',
  verdict: 'violated',
  case: 'chunk-third',
  cases: [
    { name: 'chunk-first', verdict: 'upheld' },
    { name: 'chunk-second', verdict: 'upheld' },
    { name: 'chunk-third', verdict: 'violated' },
  ],
  message: 'the ids of 2 outcomes lead to rows of other messages, the first at slot 200',
  counterexample: { input: '257 messages over 3 chunks of 100, on an empty table', slots: sampleSlots() },
  evidence: { 'chunks crossed': 3, 'items sent': 771 },
  replay:
    'npx contract-test --provider sqlite/file/prepared --guard send-batch/ids-in-caller-order --seed 42 --replay chunk-third',
});

export const vacuousVisibility = sampleVerdict({
  guard: 'send-batch/no-partial-visibility',
  statement: 'A reader that samples while the write is in flight sees all of the batch or nothing.',
  verdict: 'vacuous',
  evidence: { 'reads in flight': 0 },
  reason: 'the evidence "reads in flight" is missing',
  replay: 'npx contract-test --provider sqlite/file/prepared --guard send-batch/no-partial-visibility --seed 42',
});

export const harnessError = sampleVerdict({
  guard: 'send-batch/nothing-arrives-late',
  statement: 'After the call has settled nothing of the batch appears, changes or disappears.',
  verdict: 'error',
  message: 'the adapter has no `rows` and no `probe`',
});

export const brokenShould = sampleVerdict({
  guard: 'send-batch/is-one-commit',
  level: 'should',
  statement: 'One transaction a batch, however many chunks.',
  verdict: 'violated',
  case: 'two chunks',
  cases: [{ name: 'two chunks', verdict: 'violated' }],
  message: 'the batch took 2 commits',
});

export const sampleEngines: EngineReport[] = [
  {
    provider: 'sqlite',
    version: '3.51.2',
    modes: ['file', 'memory'],
    startMs: 12.3,
    doctor: [
      { mode: 'file', name: 'leases are isolated', ok: true, detail: 'two leases saw 0 of each other’s rows' },
      { mode: 'memory', name: 'a row fault fires', ok: true, detail: 'fired once, at row 2' },
    ],
  },
];

export const samplePath: PathReport = {
  path: 'sqlite/file/prepared',
  contract: 'send-batch',
  backend: 'my-queue',
  givesUp: { isolated: 'every chunk is committed by itself' },
  console: { bytes: 0, text: '' },
};

/** A report about the given verdicts, with sums that fit. */
export function sampleReport(verdicts: Verdict[], over: Partial<Report> = {}): Report {
  const count = (name: Verdict['verdict']) => verdicts.filter((v) => v.verdict === name).length;
  return {
    version: '0.1.0',
    clauses: 1,
    seed: 42,
    durationMs: 3210,
    firstVerdictMs: 140,
    engines: sampleEngines,
    paths: [samplePath],
    summary: {
      upheld: count('upheld'),
      violated: count('violated'),
      vacuous: count('vacuous'),
      notApplicable: count('not-applicable'),
      error: count('error'),
      total: verdicts.length,
    },
    counts: { guards: verdicts.length, cases: 12, generated: 300, items: 12_345 },
    verdicts,
    exitCode: 0,
    interrupted: null,
    ...over,
  };
}

/** One of each: what a run with trouble of every kind brings. */
export const mixedVerdicts: Verdict[] = [
  sampleVerdict(),
  swappedIds,
  { ...swappedIds, path: 'sqlite/memory/prepared', mode: 'memory' },
  brokenShould,
  vacuousVisibility,
  harnessError,
  sampleVerdict({
    guard: 'send-batch/held-rollback-removes-all',
    verdict: 'not-applicable',
    by: 'backend',
    reason: 'transaction is not offered',
  }),
  sampleVerdict({
    guard: 'send-batch/held-failure-throws',
    verdict: 'not-applicable',
    by: 'backend',
    reason: 'transaction is not offered',
  }),
  sampleVerdict({
    guard: 'send-batch/acknowledged-survives-crash',
    verdict: 'not-applicable',
    by: 'engine',
    reason: 'a database in memory has no process that could be killed',
  }),
];
