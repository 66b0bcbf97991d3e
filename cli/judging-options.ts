import type { Command } from 'commander';
import { defaultTimeout } from '../runner/run-options.ts';
import * as option from './options.ts';

/** The options that say what is judged, alike for `run` and `prove`. */
export function addSelection(command: Command): Command {
  return command
    .option(
      '-p, --provider <path>',
      `engine, or engine/mode/variant; repeat it or separate by commas (default: ${option.defaultProviders.join(',')})`,
      option.collect,
    )
    .option('--url <url>', option.urlHelp)
    .option('--provision <way>', option.provisionHelp)
    .option('--require <name>', 'engine without which it fails; those named by --provider are', option.collect)
    .option(
      '-b, --backend <file>',
      'module with your backend, file or file#export, in place of the built-in ones',
      option.collect,
    )
    .option('-c, --contract <name>', 'only this contract; repeatable', option.collect)
    .option('-g, --guard <glob>', 'only guards whose id matches, such as send-batch/ids-*; repeatable', option.collect);
}

/** The options that say how long and by what values it is judged, and who hears of it, alike for `run` and `prove`. */
export function addManner(command: Command, runs: number): Command {
  return command
    .option('--seed <int>', 'seed of everything random (default: a new one, which is printed)')
    .option('--runs <int>', `generated inputs of each property (default: ${runs})`)
    .option('--timeout <time>', `what a guard has, in ms or as 10s (default: ${defaultTimeout / 1000}s)`)
    .option('-r, --reporter <name>', 'console, json, or json=file; repeatable (default: console)', option.collect)
    .option('--config <file>', 'configuration (default: contract-test.config.ts, .js or .mjs, where there is one)');
}
