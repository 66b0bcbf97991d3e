import { Command, CommanderError, Help, type Option } from 'commander';
import { exitCodes } from '../reporters/exit-codes.ts';
import { terminalOf } from '../reporters/terminal.ts';
import { paragraph } from '../reporters/text.ts';
import type { Context } from './context.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { tellFailure } from './failure.ts';
import { listCommand } from './list.ts';
import { runCommand } from './run.ts';

/** Runs one command line, without the names of Node and script, and returns its exit code. */
export async function execute(argv: string[], context: Context): Promise<number> {
  let exitCode = 0;
  const program = build(context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (context.signal.aborted) return 130;
    return tellFailure(error, context.stderr, context.env, argv.includes('--debug'));
  }
}

function build(context: Context, ended: (exitCode: number) => void): Command {
  const terminal = terminalOf(context.stdout, context.env);
  const run = runCommand(context, ended);
  const program = new Command('contract-test')
    .description('Tells whether the batch writes of a storage backend keep their promises, on a real engine.')
    .usage('[command] [options]')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help');
  program.addCommand(run, { isDefault: true });
  program.addCommand(listCommand(context));
  program.addCommand(explainCommand(context));
  program.addCommand(doctorCommand(context, ended));
  // Whoever asks for help without a command is told of the default one's options at once.
  const own = (command: Command): Option[] => Help.prototype.visibleOptions.call(program.createHelp(), command);
  program.configureHelp({
    visibleOptions: (command) => (command === program ? [...run.options, ...own(command)] : own(command)),
    subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trim(),
    minWidthToWrap: 20,
  });
  program.addHelpText('after', () => `\n${helpEnd(terminal.width).join('\n')}`);
  for (const command of program.commands) {
    if (command !== run) command.option('--debug', 'print stack traces');
  }
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        // Errors are told once, by whoever catches them.
        writeErr: () => {},
        getOutHelpWidth: () => terminal.width,
        getOutHasColors: () => false,
      })
      .helpOption('-h, --help', 'print this help');
  }
  return program;
}

const examples: [command: string, what: string][] = [
  ['npx contract-test', 'the built-in backends on memory and sqlite'],
  ['npx contract-test --backend ./my-queue.ts', 'your own backend'],
  ['npx contract-test -p sqlite/file -g "send-batch/ids-*"', 'some guards on one engine path'],
  ['npx contract-test -r console -r json=report.json', 'for people, and for programs'],
  ['npx contract-test explain ids-in-caller-order', 'what a guard asks for'],
];

const environment: [name: string, what: string][] = [
  ['NO_COLOR, FORCE_COLOR', 'without colours; with colours, on a pipe too'],
  ['COLUMNS', 'width of the report where it does not go to a terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'plain ASCII where they name no UTF-8 locale'],
  ['CI', 'no line that is written over'],
];

function helpEnd(width: number): string[] {
  const pairs = (entries: [string, string][], left: number) =>
    entries.flatMap(([name, what]) =>
      left + 30 > width || name.length > left
        ? [`  ${name}`, ...paragraph('      ', what, width)]
        : paragraph(`  ${name.padEnd(left)}  `, what, width),
    );
  return [
    'Examples:',
    ...pairs(examples, 56),
    '',
    'Exit codes, the first that applies:',
    ...exitCodes.flatMap(({ code, meaning }) => paragraph(`  ${String(code).padStart(3)}  `, meaning, width)),
    '',
    'Environment:',
    ...pairs(environment, 22),
  ];
}
