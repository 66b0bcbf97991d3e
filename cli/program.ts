import { Command, CommanderError, Help, type HelpConfiguration, type Option } from 'commander';
import { terminalOf } from '../reporters/terminal.ts';
import type { Context } from './context.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { tellFailure } from './failure.ts';
import { helpEnd } from './help.ts';
import { listCommand } from './list.ts';
import { proveCommand } from './prove.ts';
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
  const run = runCommand(context, ended);
  const others = [
    proveCommand(context, ended),
    listCommand(context),
    explainCommand(context),
    doctorCommand(context, ended),
  ];
  const program = new Command('contract-test')
    .description('Tells whether the batch writes of a storage backend keep their promises, on a real engine.')
    .usage('[command] [options]')
    .version(context.version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addCommand(run, { isDefault: true });
  for (const command of others) program.addCommand(command.option('--debug', 'print stack traces'));

  const { width } = terminalOf(context.stdout, context.env);
  program.addHelpText('after', () => `\n${helpEnd(width).join('\n')}`);
  for (const command of [program, run, ...others]) {
    command
      .helpOption('-h, --help', 'print this help')
      .configureHelp({ ...helpStyle, visibleOptions: (of) => visibleOptions(of, of === program ? run.options : []) })
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        // Errors are told once, by whoever catches them.
        writeErr: () => {},
        getOutHelpWidth: () => width,
        getOutHasColors: () => false,
      });
  }
  return program;
}

const helpStyle: HelpConfiguration = {
  subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trim(),
  minWidthToWrap: 20,
};

/** Whoever asks for help without a command is told of the default one's options at once. */
function visibleOptions(of: Command, ofDefault: readonly Option[]): Option[] {
  return [...ofDefault, ...new Help().visibleOptions(of)];
}
