import { type Proof, type Trial, type TrialStatus, trialStatuses } from './proof.ts';

/** Counts the trials, and decides what the exit code is. */
export function concludeProof(
  proof: Proof,
  o: { interrupted: boolean; engineMissing: boolean; idleCounts: boolean },
): void {
  if (!o.idleCounts) for (const guard of proof.guards) guard.idle = false;
  proof.summary = Object.fromEntries(
    trialStatuses.map((status) => [status, proof.trials.filter((trial) => trial.status === status).length]),
  ) as Proof['summary'];
  const met = proof.trials.filter(({ role, status }) => role === 'target' && status !== 'not-applicable');
  proof.killed = { of: met.length, killed: proof.summary.killed };
  const mayBeInert = new Set(proof.mutants.filter(({ only }) => only !== null).map(({ mutant }) => mutant));
  proof.inertEverywhere = inertEverywhere(met.filter(({ mutant }) => !mayBeInert.has(mutant)));
  proof.exitCode = exitCodeOfProof(proof, o);
}

/** Mutants that told no lie on any path of a provider where their targets apply, though they should have told one. */
function inertEverywhere(met: readonly Trial[]): Proof['inertEverywhere'] {
  const groups = new Map<string, Trial[]>();
  for (const trial of met) {
    const key = `${trial.mutant} ${trial.provider} ${trial.backend}`;
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  return [...groups.values()]
    .filter((trials) => trials.every(({ status }) => status === 'inert'))
    .map(([first]) => ({ mutant: first!.mutant, provider: first!.provider }));
}

const failed: readonly TrialStatus[] = ['survived', 'accidental', 'control-killed'];
const harness: readonly TrialStatus[] = ['crashed', 'timed-out'];

function exitCodeOfProof(proof: Proof, o: { interrupted: boolean; engineMissing: boolean }): number {
  const some = (statuses: readonly TrialStatus[]) => statuses.some((status) => proof.summary[status] > 0);
  if (o.interrupted) return 130;
  if (o.engineMissing) return 4;
  if (some(harness)) return 5;
  if (some(failed) || proof.guards.some(({ idle }) => idle)) return 1;
  // A backend that is broken itself may give a mutant no occasion to lie.
  if (uncontrolledMusts(proof).length > 0 || proof.paths.some(({ ill }) => ill !== null)) return 3;
  if (proof.inertEverywhere.length > 0) return 1;
  return proof.summary.killed === 0 ? 3 : 0;
}

/** The must guards that could not be tried, since they do not let the backend itself live. */
export function uncontrolledMusts({ guards, trials }: Pick<Proof, 'guards' | 'trials'>): string[] {
  const red = new Set(trials.filter(({ status }) => status === 'uncontrolled').map(({ guard }) => guard));
  return guards.filter(({ guard, level }) => level === 'must' && red.has(guard)).map(({ guard }) => guard);
}
