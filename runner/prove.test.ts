import { describe, expect, it } from 'vitest';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { fixture, testOptions } from './fixtures/judging.ts';
import type { Judged } from './judge.ts';
import type { Proof, Trial, TrialStatus } from './proof.ts';
import { type ProveOptions, prove } from './prove.ts';
import { statusOf } from './prove-trial.ts';
import { run } from './run.ts';

const inOrder = 'send-batch/ids-in-caller-order';
const reversed = 'send-batch/ids-reversed';

const proved = (over: Partial<ProveOptions> = {}): Promise<Proof> =>
  prove(
    {
      ...testOptions({ contracts: ['send-batch'], paths: ['memory/plain'], guards: [inOrder] }),
      full: false,
      only: [],
      ...over,
    },
    [],
  );
const statuses = (proof: Proof, role: Trial['role']) =>
  Object.fromEntries(proof.trials.filter((t) => t.role === role).map((t) => [t.mutant, t.status]));

describe('prove', () => {
  it('puts every mutant before its target, and the controls once before every guard', async () => {
    const proof = await proved();
    expect(statuses(proof, 'control')).toEqual({ 'send-batch/pass-through + send-batch/harmless-delay': 'spared' });
    expect(statuses(proof, 'target')).toEqual(
      Object.fromEntries(proof.guards[0]!.mutants.map((mutant) => [mutant, 'killed'])),
    );
    expect(proof.guards[0]!.mutants).toContain(reversed);
    expect(proof.exitCode).toBe(0);
    for (const { role, lies } of proof.trials) expect(lies > 0).toBe(role === 'target');
  });

  it('tries only the mutants that were asked for, and only guards that have one of them', async () => {
    const proof = await proved({ guards: [], only: ['send-batch/ids-rev*'] });
    expect(proof.trials.map(({ guard, mutant }) => [guard, mutant])).toEqual([
      [inOrder, 'send-batch/pass-through + send-batch/harmless-delay'],
      [inOrder, reversed],
    ]);
    expect(proof.exitCode).toBe(0);
  });

  it('names the command that shows a mutant again', async () => {
    const proof = await proved({ only: [reversed] });
    const { replay } = proof.trials.find((t) => t.mutant === reversed)!;
    expect(replay).toBe(
      `npx contract-test --provider memory/plain --mutant ${reversed} --guard ${inOrder} --seed 20260101 --runs 20 --timeout 20s`,
    );
    const report = await run(testOptions({ paths: ['memory/plain'], guards: [inOrder], mutants: [reversed] }), []);
    expect(report.verdicts).toMatchObject([{ guard: inOrder, verdict: 'violated' }]);
    expect(report.mutants).toEqual([reversed]);
  });

  it('with full, puts every mutant before every guard, and the controls apart', async () => {
    const guards = [inOrder, 'send-batch/metadata-round-trips'];
    const proof = await proved({ guards, only: [reversed, 'send-batch/drops-route'], full: true });
    expect(proof.trials.map(({ guard, mutant, status }) => `${guard} ${mutant} ${status}`).toSorted()).toEqual(
      [
        `${guards[0]} send-batch/drops-route spared`,
        `${guards[0]} send-batch/harmless-delay spared`,
        `${guards[0]} send-batch/pass-through spared`,
        `${guards[0]} ${reversed} killed`,
        `${guards[1]} send-batch/drops-route killed`,
        `${guards[1]} send-batch/harmless-delay spared`,
        `${guards[1]} send-batch/pass-through spared`,
        `${guards[1]} ${reversed} spared`,
      ].toSorted(),
    );
  });

  it('with full, leaves out mutants whose target does not apply', async () => {
    const only = ['send-batch/starts-afresh'];
    const proof = await proved({ guards: [inOrder, 'send-batch/acknowledged-survives-crash'], only, full: true });
    expect(proof.trials.filter((t) => t.mutant === only[0]).map((t) => t.status)).toEqual([
      'not-applicable',
      'not-applicable',
    ]);
  });

  it('believes no kill by a guard that finds the backend itself guilty', async () => {
    const backends = fixture('lossy-queue');
    const proof = await proved({ backends, paths: ['sqlite/shared'], only: [reversed] });
    expect(statuses(proof, 'control')).toEqual({
      'send-batch/pass-through + send-batch/harmless-delay': 'uncontrolled',
    });
    expect(proof.trials[0]!.replay).not.toContain('--mutant');
    expect(statuses(proof, 'target')).toEqual({ [reversed]: 'uncontrolled' });
    expect(proof.trials[1]!.message).toMatch(/^the guard does not let the backend itself live \(violated: /);
    expect(proof.exitCode).toBe(3);
  });

  it('lists a mutant that tells no lie with the path, and lets it be where it says which backends it needs', async () => {
    const mutant = 'send-batch/row-that-tips-the-limit-is-lost';
    const proof = await proved({ guards: [], only: [mutant], paths: ['sqlite/memory/prepared'], runs: 2 });
    expect(statuses(proof, 'target')).toEqual({ [mutant]: 'inert' });
    expect(proof.mutants.find((m) => m.mutant === mutant)!.only).toMatch(/parameters/);
    expect(proof).toMatchObject({ inertEverywhere: [], exitCode: 3 });
  });

  it('does not try a lie that needs what the backend does not offer', async () => {
    const mutant = 'send-batch/drops-headers';
    const proof = await proved({
      guards: [],
      only: [mutant],
      backends: fixture('correct-queue'),
      paths: ['sqlite/shared'],
    });
    expect(proof.trials.find((t) => t.mutant === mutant)).toMatchObject({
      status: 'not-applicable',
      message: 'headers is not offered',
    });
  });

  it('lists a mutant whose target does not apply with the reason', async () => {
    const proof = await proved({ guards: [], only: ['setup/mutex-round-the-subject'] });
    expect(proof.trials.map(({ status, message }) => [status, message])).toEqual([
      ['not-applicable', 'the store lives in one thread'],
      ['not-applicable', 'the store lives in one thread'],
    ]);
    expect(proof.exitCode).toBe(3);
  });

  it('ends with 130 when it is interrupted, and tries nothing more', async () => {
    const controller = new AbortController();
    const seen: Trial[] = [];
    const options = { ...testOptions({ paths: ['memory/plain'], guards: [inOrder] }), full: false, only: [] };
    const reporter = {
      trial(trial: Trial) {
        seen.push(trial);
        controller.abort(new Error('SIGINT'));
      },
    };
    const proof = await prove({ ...options, concurrency: 1, signal: controller.signal }, [reporter]);
    expect(proof).toMatchObject({ exitCode: 130, interrupted: 'interrupted before all mutants had been tried' });
    expect(proof.trials).toEqual(seen);
    expect(seen).toHaveLength(1);
  });

  it('tries nothing where a guard that all others rest on finds the backend itself guilty', async () => {
    const proof = await proved({ guards: [], backends: fixture('creates-nothing'), paths: ['sqlite/shared'] });
    expect(proof.trials).toEqual([]);
    expect(proof.paths).toMatchObject([
      { ill: expect.stringMatching(/^setup\/namespace-exists does not let the backend itself live: open created/) },
    ]);
    expect(proof.exitCode).toBe(3);
  });

  it('refuses mutants and guards that do not belong together, and says what does', async () => {
    await expect(proved({ only: ['send-batch/drops-route'] })).rejects.toMatchObject({
      message: `no mutant that is asked for is aimed at ${inOrder}`,
      hint: 'send-batch/drops-route is aimed at send-batch/metadata-round-trips',
    });
  });

  it('refuses a pattern that no mutant has', async () => {
    await expect(proved({ only: ['send-batch/nothing'] })).rejects.toThrow('no mutant matches send-batch/nothing');
  });
});

describe('the status of a trial', () => {
  const guard = sendBatch.guards.find(({ id }) => id === inOrder)!;
  const mutant = {
    id: 'x/y',
    lie: '',
    target: inOrder,
    control: false,
    alsoKilledBy: [inOrder],
    expects: 'violated',
    wrap: (port: unknown) => port,
  } as const;
  type Case = [role: Trial['role'], verdict: Judged['verdict']['verdict'], lies: number, status: TrialStatus];
  const judged = (verdict: Case[1], lies: number) => ({ verdict: { verdict }, lies, timedOut: false }) as Judged;

  it.each<Case>([
    ['target', 'violated', 1, 'killed'],
    ['target', 'vacuous', 1, 'survived'],
    ['target', 'upheld', 1, 'survived'],
    ['target', 'upheld', 0, 'inert'],
    ['target', 'vacuous', 0, 'survived'],
    ['target', 'error', 1, 'crashed'],
    ['target', 'not-applicable', 0, 'not-applicable'],
    ['control', 'upheld', 0, 'spared'],
    ['control', 'violated', 0, 'control-killed'],
    ['control', 'vacuous', 0, 'uncontrolled'],
    ['other', 'violated', 1, 'killed-too'],
    ['other', 'vacuous', 1, 'spared'],
    ['other', 'error', 1, 'crashed'],
  ])('%s, %s, %i lies: %s', (role, verdict, lies, status) => {
    expect(statusOf(guard, { ...mutant, alsoKilledBy: [...mutant.alsoKilledBy] }, role, judged(verdict, lies))).toBe(
      status,
    );
  });

  it('is accidental when a guard finds a mutant that it is not to find', () => {
    expect(statusOf(guard, { ...mutant, alsoKilledBy: [] }, 'other', judged('violated', 1))).toBe('accidental');
  });

  it('is a time-out when the guard was not through in its time', () => {
    const late = { ...judged('error', 1), timedOut: true };
    expect(statusOf(guard, { ...mutant, alsoKilledBy: [] }, 'target', late)).toBe('timed-out');
  });

  it('is killed by the verdict that the mutant expects, and by no other', () => {
    const vacuous = { ...mutant, alsoKilledBy: [], expects: 'vacuous' } as const;
    expect(statusOf(guard, vacuous as never, 'target', judged('vacuous', 1))).toBe('killed');
    expect(statusOf(guard, vacuous as never, 'target', judged('violated', 1))).toBe('survived');
  });
});
