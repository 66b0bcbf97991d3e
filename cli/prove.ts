import { Command, Option } from 'commander';
import { makeProofReporters } from '../reporters/proof-reporters.ts';
import { UsageError } from '../runner/usage-error.ts';
import { cautionOf } from './caution.ts';
import { checkMutants, checkNames } from './check-names.ts';
import { loadConfig } from './config.ts';
import type { Context } from './context.ts';
import { addManner, addSelection } from './judging-options.ts';
import * as option from './options.ts';
import { checkReports, checkTemporary } from './places.ts';
import { type RunFlags, settle } from './settings.ts';

/** Generated inputs of each property in a proof, where nothing else is said: enough to meet a mutant. */
const proofRuns = 20;

/** What an ordinary run of one backend takes, and a proof of many does not. */
const ofRunAlone = ['--host <kind>', '--trace', '--keep', '--replay <case>', '--strict'];

interface ProveFlags extends Omit<RunFlags, 'host' | 'trace' | 'keep' | 'replay' | 'strict' | 'debug'> {
  full?: true;
  concurrency?: string;
}

/** Proves the guards: spoils backends by mutants, each of which a guard must find. */
export function proveCommand(context: Context, ended: (exitCode: number) => void): Command {
  const command = new Command('prove').description('prove that the guards can fail, by mutants of your backend');
  addManner(addSelection(command), proofRuns)
    .option(
      '-m, --mutant <glob>',
      'only mutants whose name matches, such as send-batch/ids-*; repeatable',
      option.collect,
    )
    .option('--full', 'put every mutant before every guard, not only before the one that it is aimed at')
    .option(
      '--concurrency <int>',
      'mutants that are tried side by side (default: as many as there are processors, at most 4)',
    );
  for (const flags of ofRunAlone) command.addOption(new Option(flags).hideHelp());
  return command
    .argument('[unexpected...]')
    .usage('[options]')
    .configureHelp({ visibleArguments: () => [] })
    .action(async (unexpected: string[], flags: ProveFlags) => {
      refuseOthers(command);
      if (unexpected.length > 0) throw new UsageError(`unexpected argument ${option.quoted(unexpected[0])}`);
      ended(await prove(flags, context));
    });
}

function refuseOthers(command: Command): void {
  const given = command.options.find(
    (o) => ofRunAlone.includes(o.flags) && command.getOptionValueSource(o.attributeName()) === 'cli',
  );
  if (!given) return;
  throw new UsageError(
    `prove has no ${given.long}: it spoils many subjects side by side`,
    `run takes it, for one of them: contract-test --mutant <name> --guard <its target> ${given.flags}`,
  );
}

async function prove(flags: ProveFlags, context: Context): Promise<number> {
  const { mutant, full, concurrency, ...common } = flags;
  const config = await loadConfig(context.cwd, flags.config);
  const toolkit = await context.load();
  const { options, reporters } = settle(
    { runs: String(proofRuns), ...common },
    config,
    context.cwd,
    toolkit.references,
  );
  const only = option.list(mutant ?? []);
  checkNames(options, toolkit);
  cautionOf(options.url, context);
  checkMutants(only, await toolkit.mutants());
  const lanes = option.integer('--concurrency', concurrency ?? options.concurrency, { least: 1, most: 64 });
  checkReports(reporters, context.cwd);
  checkTemporary();
  const made = makeProofReporters(reporters, context, options.seed);
  const proof = await toolkit.prove(
    { ...options, trace: false, keep: false, concurrency: lanes, full: full ?? false, only, signal: context.signal },
    made,
  );
  return proof.exitCode;
}
