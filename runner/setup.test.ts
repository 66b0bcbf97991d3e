import { describe, expect, it } from 'vitest';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { fixture, testOptions } from './fixtures/judging.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-options.ts';

const judged = (name: string, options: Partial<RunOptions> = {}) =>
  run(testOptions({ backends: fixture(name), paths: ['sqlite/shared'], guards: ['setup/*'], ...options }), []);

const foundation = new Set(sendBatch.guards.filter((g) => g.foundation).map((g) => g.id));

const red = (report: Awaited<ReturnType<typeof judged>>) =>
  report.verdicts.filter((v) => v.verdict === 'violated').map((v) => v.guard);

describe('a setup that proves nothing is named, nothing is judged on it, and the exit code is 3', () => {
  it.each([
    ['creates-nothing', 'setup/namespace-exists', 'open created nothing'],
    ['says-empty-for-missing', 'setup/namespace-exists', 'instead of that it is missing'],
    ['always-empty', 'setup/probe-is-independent', 'does not see an item that the engine holds'],
    ['caches-its-first-read', 'setup/probe-is-independent', 'after its row was deleted raw'],
    ['rounds-to-all-or-none', 'setup/probe-sees-a-torn-batch', 'with 3 of 6 written raw'],
    ['shares-a-connection', 'setup/namespaces-are-isolated', 'on the second lease, where nothing was written'],
  ])('%s: %s', async (name, guard, message) => {
    const report = await judged(name, { guards: [] });
    expect(red(report)).toContain(guard);
    expect(report.verdicts.find((v) => v.guard === guard)!.message).toContain(message);
    const broken = report.verdicts.find((v) => v.verdict !== 'upheld')!.guard;
    const after = report.verdicts.filter((v) => !foundation.has(v.guard));
    expect(after.length).toBeGreaterThan(10);
    for (const verdict of after)
      expect(verdict).toMatchObject({ verdict: 'vacuous', reason: `not judged: ${broken} did not hold` });
    expect(report.exitCode).toBe(3);
  });

  it.each([
    [
      'default',
      'setup/probe-is-independent',
      /^written by the single path, 1 of 1 message are not stored when the call/,
    ],
    [
      'batches',
      'setup/batch-is-seen',
      /257 are not stored when the call has settled; \d+ ms later 257 are: it must not/,
    ],
    ['refused', 'setup/batch-is-seen', /^a plain batch of 257 messages failed: RangeError: too many SQL variables$/],
  ])('stores-late, %s: %s alone is red', async (name, guard, message) => {
    const [module] = fixture('stores-late');
    const report = await run(testOptions({ backends: [{ ...module!, export: name }], paths: ['sqlite/shared'] }), []);
    expect(red(report)).toEqual([guard]);
    expect(report.verdicts.find((v) => v.guard === guard)!.message).toMatch(message);
    expect(report.summary).toMatchObject({ violated: 1, upheld: report.verdicts.findIndex((v) => v.guard === guard) });
    expect(report.exitCode).toBe(3);
  });

  it('echoing-probe: setup/probe-is-independent, where the probe shares the thread', async () => {
    const report = await judged('echoing-probe', { paths: ['memory'], guards: ['setup/probe-is-independent'] });
    expect(red(report)).toEqual(['setup/probe-is-independent']);
    expect(report.exitCode).toBe(3);
  });

  it('echoes-what-was-sent: seen at once, where the probe has a thread of its own', async () => {
    const report = await judged('echoes-what-was-sent', { guards: ['setup/probe-is-independent'] });
    expect(red(report)).toContain('setup/probe-is-independent');
  });
});

describe('a declaration that is not what the backend does is a violation, and the exit code is 1', () => {
  it.each([
    ['drops-a-column', 'setup/single-write-is-seen', null],
    ['accepts-what-it-does-not-offer', 'setup/capability-is-honest', 'refuses-route'],
    ['overstates-its-chunk', 'setup/chunks-are-crossed', null],
    ['denies-its-chunks', 'setup/chunks-are-crossed', null],
  ])('%s: %s', async (name, guard, inCase) => {
    const report = await judged(name);
    expect(red(report)).toContain(guard);
    expect(report.verdicts.find((v) => v.guard === guard)!.case).toBe(inCase);
    expect(report.exitCode).toBe(1);
  });
});

it('a correct queue is upheld and the exit code is 0', async () => {
  const report = await judged('correct-queue', { guards: [] });
  const red = report.verdicts.filter((v) => v.verdict !== 'upheld' && v.verdict !== 'not-applicable');
  expect(red.map((v) => [v.guard, v.verdict, v.message ?? v.reason])).toEqual([]);
  expect(report.summary.upheld).toBeGreaterThan(20);
  expect(report.exitCode).toBe(0);
});

it('a queue whose namespace appears with the first write is judged like any other', async () => {
  const guards = ['setup/*', 'send-batch/{empty-batch,missing-namespace-*,nothing-persists-*,mixed-shapes-*}'];
  const report = await judged('creates-on-demand', { guards });
  const red = report.verdicts.filter((v) => v.verdict !== 'upheld' && v.verdict !== 'not-applicable');
  expect(red.map((v) => [v.guard, v.verdict, v.message ?? v.reason])).toEqual([]);
  expect(report.summary.upheld).toBeGreaterThan(12);
});
