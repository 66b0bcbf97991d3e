import picomatch from 'picomatch';
import { contracts } from '../contracts/index.ts';
import { whyNotApplicable } from '../contracts/kernel/capabilities.ts';
import type { Guard } from '../contracts/kernel/guard.ts';
import { type Mutant, spoils } from '../contracts/kernel/mutant.ts';
import { type PathContext, whyNotHere } from './judge.ts';
import { UsageError } from './usage-error.ts';

/** What one guard of a path is to be proved with. */
export interface GuardPlan {
  guard: Guard;
  /** Wrappers that tell no lie. */
  controls: Mutant[];
  /** Mutants that it has to find. */
  aimed: Mutant[];
  /** Mutants that other guards have to find. */
  others: Mutant[];
}

/** The mutants whose names match; all, without a pattern. A pattern that matches none is a `UsageError`. */
export function chooseMutants(all: readonly Mutant[], patterns: readonly string[]): Mutant[] {
  for (const pattern of patterns) {
    if (!all.some((mutant) => !mutant.control && picomatch.isMatch(mutant.id, pattern)))
      throw new UsageError(
        `no mutant matches ${pattern}`,
        'contract-test explain <guard> names the mutants of a guard',
      );
  }
  return all.filter((mutant) => mutant.control || patterns.length === 0 || picomatch.isMatch(mutant.id, [...patterns]));
}

/** Refuses mutants none of which is aimed at a guard that matches; without a pattern all guards do. */
export function mustMeetGuards(mutants: readonly Mutant[], guards: readonly string[]): void {
  const lies = mutants.filter(({ control }) => !control);
  if (guards.length === 0 || lies.some(({ target }) => picomatch.isMatch(target, [...guards]))) return;
  const targets = [...new Set(lies.map(({ target }) => target))].join(', ');
  const whose = lies.length === 1 ? `${lies[0]!.id} is aimed at` : 'the mutants are aimed at';
  throw new UsageError(`no mutant that is asked for is aimed at ${guards.join(', ')}`, `${whose} ${targets}`);
}

/** The mutants that spoil subjects of a contract, those of the setup among them. */
export function mutantsOf(contract: string, mutants: readonly Mutant[]): Mutant[] {
  return mutants.filter((mutant) => spoils(mutant, contract));
}

/** What every guard of a path meets: the mutants that are aimed at it, or with `full` all that there are. */
export function planPath(
  guards: readonly Guard[],
  mutants: readonly Mutant[],
  options: { full: boolean; someMutants: boolean },
): GuardPlan[] {
  const lies = mutants.filter((mutant) => !mutant.control);
  const plans = guards.map((guard) => ({
    guard,
    controls: mutants.filter((mutant) => mutant.control),
    aimed: lies.filter(({ target }) => target === guard.id),
    others: options.full ? lies.filter((mutant) => mutant.target !== guard.id && mayMeet(mutant, guard)) : [],
  }));
  // Of guards that nothing was asked about the controls need not be tried.
  return options.someMutants ? plans.filter(({ aimed, others }) => aimed.length + others.length > 0) : plans;
}

/** Whether a mutant meets a guard that it is not aimed at. */
function mayMeet(mutant: Mutant, guard: Guard): boolean {
  // Every mutant before one that takes long, or that has the engine for itself, would take as long as all the others.
  if (guard.onceForVariant || guard.exclusive) return false;
  // On a spoiled setup no other verdict could be believed, so that nothing follows from it.
  return !mutant.id.startsWith('setup/') || guard.id.startsWith('setup/');
}

/** Why a guard cannot be judged on a path, or why a lie cannot be told there. */
export function whyNotMet(guard: Guard, mutant: Mutant | undefined, context: PathContext): string | undefined {
  const { declaration, facts } = context;
  // Where its own target does not apply, nothing is to be found of a lie.
  const needs = mutant ? [...(targetOf(mutant)?.needs ?? []), ...(mutant.needs ?? [])] : [];
  const absent = whyNotHere(guard, context) ?? whyNotApplicable(needs, declaration, facts);
  if (absent !== undefined) return absent.reason;
  const cannot = mutant?.cannot?.(declaration, facts);
  return cannot === undefined ? undefined : `the lie cannot be told here: ${cannot}`;
}

function targetOf({ target }: Mutant): Guard | undefined {
  return contracts.flatMap(({ guards }) => guards).find(({ id }) => id === target);
}
