import picomatch from 'picomatch';
import type { Guard } from '../contracts/kernel/guard.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { UsageError } from '../runner/usage-error.ts';
import type { Toolkit } from './context.ts';
import { didYouMean, guardsAlike, nearestOnes } from './suggest.ts';

type Names = Pick<RunOptions, 'paths' | 'required' | 'contracts' | 'guards'>;

/** Refuses names that nothing has, and tells the nearest that something has, before an engine is started. */
export function checkNames({ paths, required, contracts, guards }: Names, toolkit: Toolkit): void {
  const providers = toolkit.providers.map(({ name }) => name);
  for (const name of [...paths.map((path) => path.split('/')[0]!), ...required]) {
    if (!providers.includes(name)) throw unknown('provider', name, providers);
  }
  const contractNames = toolkit.contracts.map(({ name }) => name);
  for (const name of contracts) {
    if (!contractNames.includes(name)) throw unknown('contract', name, contractNames);
  }
  const known = toolkit.contracts.flatMap((contract) => contract.guards);
  for (const glob of guards) checkGuard(glob, known);
}

/** Refuses a pattern that no mutant has, and tells the nearest that one has. */
export function checkMutants(globs: readonly string[], mutants: readonly { id: string }[]): void {
  const ids = mutants.map(({ id }) => id);
  for (const glob of globs) {
    if (!matchesAny(glob, ids)) throw noneMatches('mutant', glob, ids, nearestOnes(glob, ids, 1), whereMutantsAre);
  }
}

/** Refuses names that no mutant has, and tells the nearest that one has. */
export function checkMutantNames(names: readonly string[], mutants: readonly { id: string }[]): void {
  const ids = mutants.map(({ id }) => id);
  for (const name of names) {
    if (ids.includes(name)) continue;
    const [near] = nearestOnes(name, ids, 1);
    const hint = near === undefined ? whereMutantsAre : `did you mean ${near}?`;
    throw new UsageError(`no mutant is called ${JSON.stringify(name)}`, hint);
  }
}

/** Of mutants there are too many to name them all. */
const whereMutantsAre = 'contract-test explain <guard> names the mutants of a guard';

function unknown(what: string, name: string, known: string[]): UsageError {
  return new UsageError(`no ${what} is called ${JSON.stringify(name)}`, didYouMean(name, known));
}

function checkGuard(glob: string, guards: readonly Guard[]): void {
  const ids = guards.map(({ id }) => id);
  if (!matchesAny(glob, ids))
    throw noneMatches('guard', glob, ids, guardsAlike(glob, guards, 1), 'contract-test list shows all guards');
}

function noneMatches(
  what: string,
  glob: string,
  ids: string[],
  [nearest]: readonly string[],
  otherwise: string,
): UsageError {
  const inAnyContract = `*/${glob}`;
  const alike = matchesAny(inAnyContract, ids) ? inAnyContract : nearest;
  const hint = alike === undefined ? otherwise : `did you mean ${alike}?`;
  return new UsageError(`no ${what} matches ${JSON.stringify(glob)}`, hint);
}

function matchesAny(glob: string, ids: string[]): boolean {
  const matches = picomatch(glob);
  return ids.some((id) => matches(id));
}
