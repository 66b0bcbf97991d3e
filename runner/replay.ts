import type { Verdict } from './report.ts';
import { defaultRuns, defaultTimeout, type RunOptions } from './run-options.ts';

/** The command that runs a verdict's guard, or one case of it, again with the same values. */
export function replayLine(
  verdict: Pick<Verdict, 'guard' | 'path'>,
  options: RunOptions,
  replay: string | null,
): string {
  const words = ['npx', 'contract-test', '--provider', verdict.path];
  if (options.url) words.push('--url', options.url.named);
  if (options.provision) words.push('--provision', options.provision);
  for (const file of options.backendFiles) words.push('--backend', file);
  for (const mutant of options.mutants) words.push('--mutant', mutant);
  words.push('--guard', verdict.guard, '--seed', String(options.seed));
  if (options.runs !== defaultRuns) words.push('--runs', String(options.runs));
  if (options.timeout !== defaultTimeout) words.push('--timeout', spanOf(options.timeout));
  if (options.host !== 'worker') words.push('--host', options.host);
  if (replay !== null) words.push('--replay', replay);
  return words.map(quoted).join(' ');
}

/** Milliseconds as `--timeout` takes them. */
function spanOf(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
