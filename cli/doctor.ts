import { Command } from 'commander';
import { renderCheck, renderEngine } from '../reporters/engine.ts';
import { terminalOf } from '../reporters/terminal.ts';
import type { DoctorOptions } from '../runner/doctor.ts';
import { UsageError } from '../runner/usage-error.ts';
import { cautionOf } from './caution.ts';
import type { Context } from './context.ts';
import * as option from './options.ts';
import { checkTemporary } from './places.ts';
import { serverSettings } from './settings.ts';
import { didYouMean } from './suggest.ts';

/** Tries whether engines can be had, and whether verdicts about them could be believed. */
export function doctorCommand(context: Context, ended: (exitCode: number) => void): Command {
  return new Command('doctor')
    .description('try the engines: start, isolation, restoring, faults, clock')
    .option(
      '-p, --provider <name>',
      `engine to try; repeat it or separate by commas (default: ${option.defaultProviders.join(',')})`,
      option.collect,
    )
    .option('--url <url>', option.urlHelp)
    .option('--provision <way>', option.provisionHelp)
    .action(async (flags: { provider?: string[]; url?: string; provision?: string }) => {
      const providers = option.list(flags.provider ?? option.defaultProviders);
      const server = serverSettings(flags, {}, context.cwd, context.cwd);
      ended(await doctor({ providers, ...server, signal: context.signal }, context));
    });
}

async function doctor(options: DoctorOptions, context: Context): Promise<number> {
  const toolkit = await context.load();
  const known = toolkit.providers.map((provider) => provider.name);
  for (const name of options.providers) {
    if (!known.includes(name)) {
      throw new UsageError(`no provider is called ${JSON.stringify(name)}`, didYouMean(name, known));
    }
  }
  cautionOf(options.url, context);
  checkTemporary();
  const engines = await toolkit.doctor(options);
  if (context.signal.aborted) return 130;
  const terminal = terminalOf(context.stdout, context.env);
  for (const engine of engines) {
    const passed = engine.doctor.filter((check) => check.ok).flatMap((check) => renderCheck(check, terminal));
    context.stdout.write(`${[...renderEngine(engine, terminal), ...passed].join('\n')}\n`);
  }
  return engines.every((engine) => engine.doctor.every((check) => check.ok)) ? 0 : 3;
}
