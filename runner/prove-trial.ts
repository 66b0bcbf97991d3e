import type { Guard } from '../contracts/kernel/guard.ts';
import type { Mutant } from '../contracts/kernel/mutant.ts';
import { type Judged, judgeSpoiled, type PathContext } from './judge.ts';
import type { Trial, TrialStatus } from './proof.ts';
import { whyNotMet } from './prove-plan.ts';
import { replayLine } from './replay.ts';
import type { RunOptions } from './run-options.ts';

/** Puts spoiled subjects before a guard; several mutants spoil the same subjects, one inside the other. */
export async function tryOne(
  guard: Guard,
  mutants: readonly Mutant[],
  role: Trial['role'],
  context: PathContext,
): Promise<Trial> {
  const startedAt = performance.now();
  const trial = blankTrial(guard, mutants, role, context);
  const reason = whyNotMet(guard, mutants[0], context);
  if (reason !== undefined) return { ...trial, message: reason };
  const spoiledBy = (ids: string[]) => ({ ...context.options, mutants: ids });
  const judgedBy = (options: RunOptions) => judgeSpoiled(guard, { ...context, options, hung: false, firstOnly: true });
  let options = spoiledBy(mutants.map(({ id }) => id));
  let judged = await judgedBy(options);
  let status = statusOf(guard, mutants[0]!, role, judged);
  if (status === 'control-killed') {
    // Where the backend itself breaks the rule, the controls are not to blame.
    const plain = await judgedBy(spoiledBy([]));
    if (plain.verdict.verdict === 'violated') {
      judged = plain;
      options = spoiledBy([]);
      status = 'uncontrolled';
    }
  }
  const { verdict } = judged;
  return {
    ...trial,
    status,
    lies: judged.lies,
    verdict: verdict.verdict,
    case: verdict.case,
    message: verdict.message ?? verdict.reason,
    replay: verdict.verdict === 'not-applicable' ? null : replayLine(verdict, options, null),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** A trial that did not take place, since the guard does not let the controls live. */
export function uncontrolled(guard: Guard, mutant: Mutant, role: Trial['role'], context: PathContext, control: Trial) {
  const trial = blankTrial(guard, [mutant], role, context);
  if (control.status === 'not-applicable') return { ...trial, message: control.message };
  const whom = control.status === 'control-killed' ? 'the controls' : 'the backend itself';
  const message = `the guard does not let ${whom} live (${control.verdict}: ${control.message})`;
  return { ...trial, status: 'uncontrolled' as const, message };
}

function blankTrial(guard: Guard, mutants: readonly Mutant[], role: Trial['role'], context: PathContext): Trial {
  const { path } = context;
  return {
    provider: path.provider.name,
    path: path.name,
    backend: path.backend,
    contract: path.contract,
    guard: guard.id,
    mutant: mutants.map(({ id }) => id).join(' + '),
    role,
    status: 'not-applicable',
    lies: 0,
    verdict: 'not-applicable',
    case: null,
    message: null,
    replay: null,
    durationMs: 0,
  };
}

/** What a verdict says of the mutant that it was given to. */
export function statusOf(
  guard: Guard,
  mutant: Mutant,
  role: Trial['role'],
  { verdict: { verdict }, lies, timedOut }: Judged,
): TrialStatus {
  if (verdict === 'not-applicable') return verdict;
  if (verdict === 'error') return timedOut ? 'timed-out' : 'crashed';
  if (role === 'control') return controlStatus[verdict];
  if (role === 'other') {
    if (verdict !== 'violated') return 'spared';
    return mutant.alsoKilledBy.includes(guard.id) || looksAtEverything(guard) ? 'killed-too' : 'accidental';
  }
  if (verdict === mutant.expects) return 'killed';
  return lies === 0 && verdict === 'upheld' ? 'inert' : 'survived';
}

const controlStatus = { upheld: 'spared', violated: 'control-killed', vacuous: 'uncontrolled' } as const;

/** Guards that compare all with a model, with another path, or with what they are told of it. */
const comparing = new RegExp(
  `/(${[
    'equals-the-model',
    'equals-the-fold-of-singles',
    'batch-equals-singles',
    'flush-equals-singles',
    'sync-and-async-agree',
    'held-commit-keeps-all',
    'each-outcome-is-true',
  ].join('|')})$`,
);

/** Whether a guard may find every lie: those that compare, and those of the setup, which say whether to believe anything. */
function looksAtEverything({ id }: Guard): boolean {
  return id.startsWith('setup/') || comparing.test(id);
}
