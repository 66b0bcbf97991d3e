import { Command } from 'commander';
import { makeReporters } from '../reporters/index.ts';
import { defaultRuns } from '../runner/run-options.ts';
import { UsageError } from '../runner/usage-error.ts';
import { cautionOf } from './caution.ts';
import { checkMutantNames, checkNames } from './check-names.ts';
import { loadConfig } from './config.ts';
import type { Context } from './context.ts';
import { addManner, addSelection } from './judging-options.ts';
import * as option from './options.ts';
import { checkReports, checkTemporary } from './places.ts';
import { type RunFlags, settle } from './settings.ts';
import { didYouMean } from './suggest.ts';

/** The default command: judges backends by the contracts, and reports. */
export function runCommand(context: Context, ended: (exitCode: number) => void): Command {
  const command = new Command('run').description('judge backends by the contracts (the default command)');
  return addManner(addSelection(command), defaultRuns)
    .option('-m, --mutant <name>', 'spoil the backends by this mutant, as prove does; repeatable', option.collect)
    .option('--replay <case>', 'only this case of a guard, as the replay line of a failure names it')
    .option('--keep', 'leave the namespaces in place, to look into them')
    .option('--trace', 'show what was sent to the engine in a case that broke a rule')
    .option('--host <kind>', `where backends run: ${option.hostKinds.join(', ')} (default: worker)`)
    .option('--strict', 'violated should clauses fail the run, too')
    .option('--debug', 'print stack traces, and all that backends write to the console')
    .argument('[unexpected...]')
    .usage('[options]')
    .configureHelp({ visibleArguments: () => [] })
    .action(async (unexpected: string[], flags: RunFlags) => {
      if (unexpected.length > 0) throw noSuchCommand(unexpected[0]!);
      ended(await run(flags, context));
    });
}

async function run(flags: RunFlags, context: Context): Promise<number> {
  const config = await loadConfig(context.cwd, flags.config);
  const toolkit = await context.load();
  const { options, reporters, debug } = settle(flags, config, context.cwd, toolkit.references);
  checkNames(options, toolkit);
  cautionOf(options.url, context);
  if (options.mutants.length > 0) checkMutantNames(options.mutants, await toolkit.mutants());
  checkReports(reporters, context.cwd);
  checkTemporary();
  const made = makeReporters(reporters, context, { ...options, debug });
  const report = await toolkit.run({ ...options, signal: context.signal }, made);
  return report.exitCode;
}

function noSuchCommand(given: string): UsageError {
  const commands = ['run', 'prove', 'list', 'explain', 'doctor'];
  if (/[./]/.test(given)) {
    return new UsageError(`unexpected argument ${JSON.stringify(given)}`, 'a backend is named with --backend <file>');
  }
  return new UsageError(`there is no command ${JSON.stringify(given)}`, didYouMean(given, commands));
}
