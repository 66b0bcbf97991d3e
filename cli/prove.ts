import { Command } from 'commander';
import { makeProofReporters } from '../reporters/proof-reporters.ts';
import { defaultTimeout } from '../runner/run-options.ts';
import { UsageError } from '../runner/usage-error.ts';
import { cautionOf } from './caution.ts';
import { checkMutants, checkNames } from './check-names.ts';
import { loadConfig } from './config.ts';
import type { Context } from './context.ts';
import * as option from './options.ts';
import { type RunFlags, settle } from './settings.ts';

/** Generated inputs of each property in a proof, where nothing else is said: enough to meet a mutant. */
const proofRuns = '20';

interface ProveFlags extends Pick<RunFlags, 'provider' | 'url' | 'provision' | 'require' | 'backend' | 'contract'> {
  guard?: string[];
  mutant?: string[];
  full?: true;
  seed?: string;
  runs?: string;
  timeout?: string;
  concurrency?: string;
  reporter?: string[];
  config?: string;
}

/** Proves the guards: spoils backends by mutants, each of which a guard must find. */
export function proveCommand(context: Context, ended: (exitCode: number) => void): Command {
  return new Command('prove')
    .description('prove that the guards can fail, by mutants of your backend')
    .option(
      '-p, --provider <path>',
      `engine, or engine/mode/variant; repeat it or separate by commas (default: ${option.defaultProviders.join(',')})`,
      option.collect,
    )
    .option('--url <url>', option.urlHelp)
    .option('--provision <way>', option.provisionHelp)
    .option('--require <name>', 'engine without which it fails; those named by --provider are', option.collect)
    .option('-b, --backend <file>', 'module with your backend, in place of the built-in ones', option.collect)
    .option('-c, --contract <name>', 'only this contract; repeatable', option.collect)
    .option('-g, --guard <glob>', 'only guards whose id matches; repeatable', option.collect)
    .option(
      '-m, --mutant <glob>',
      'only mutants whose name matches, such as send-batch/ids-*; repeatable',
      option.collect,
    )
    .option('--full', 'put every mutant before every guard, not only before the one that it is aimed at')
    .option('--seed <int>', 'seed of everything random (default: a new one, which is printed)')
    .option('--runs <int>', `generated inputs of each property (default: ${proofRuns})`)
    .option('--timeout <time>', `what a guard has for one mutant, in ms or as 10s (default: ${defaultTimeout / 1000}s)`)
    .option(
      '--concurrency <int>',
      'mutants that are tried side by side (default: as many as there are processors, at most 4)',
    )
    .option('-r, --reporter <name>', 'console, json, or json=file; repeatable (default: console)', option.collect)
    .option('--config <file>', 'configuration (default: contract-test.config.ts, .js or .mjs, where there is one)')
    .argument('[unexpected...]')
    .usage('[options]')
    .configureHelp({ visibleArguments: () => [] })
    .action(async (unexpected: string[], flags: ProveFlags) => {
      if (unexpected.length > 0) throw new UsageError(`unexpected argument ${option.quoted(unexpected[0])}`);
      ended(await prove(flags, context));
    });
}

async function prove(flags: ProveFlags, context: Context): Promise<number> {
  const { mutant, full, concurrency, ...common } = flags;
  const config = await loadConfig(context.cwd, flags.config);
  const toolkit = await context.load();
  const { options, reporters } = settle({ runs: proofRuns, ...common }, config, context.cwd, toolkit.references);
  const only = option.list(mutant ?? []);
  checkNames(options, toolkit);
  cautionOf(options.url, context);
  checkMutants(only, await toolkit.mutants());
  const lanes = option.integer('--concurrency', concurrency ?? options.concurrency, { least: 1, most: 64 });
  const made = makeProofReporters(reporters, context, options.seed);
  const proof = await toolkit.prove(
    { ...options, trace: false, keep: false, concurrency: lanes, full: full ?? false, only, signal: context.signal },
    made,
  );
  return proof.exitCode;
}
