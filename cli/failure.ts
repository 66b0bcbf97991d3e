import type { Writable } from 'node:stream';
import { CommanderError } from 'commander';
import { HostRefused } from '../host/host.ts';
import { EngineUnavailable } from '../providers/provider.ts';
import { terminalOf } from '../reporters/terminal.ts';
import { proseLines } from '../reporters/text.ts';
import { UsageError } from '../runner/usage-error.ts';

/** Tells on one line what kept a command from its work, and returns the exit code for it. */
export function tellFailure(
  error: unknown,
  to: Writable,
  env: Record<string, string | undefined>,
  debug: boolean,
): number {
  const { exitCode, text } = classify(error);
  const terminal = terminalOf(to, env);
  const stack = debug && error instanceof Error ? stackOf(error) : [];
  const oneLine = text.replaceAll(/\s*\n\s*/g, ' ');
  const lines = [`contract-test: ${oneLine}`, ...stack].flatMap((part) => proseLines(part, terminal));
  to.write(`${lines.join('\n')}\n`);
  return exitCode;
}

function classify(error: unknown): { exitCode: number; text: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) {
    return { exitCode: 2, text: error.hint === undefined ? message : `${message}; ${error.hint}` };
  }
  if (error instanceof CommanderError) {
    const text = message
      .replace(/^error: /, '')
      // An option of a run, given to another command.
      .replace(/'(.*)'\n\(Did you mean \1\?\)/, "'$1' of this command; it is one of a run")
      .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
    return { exitCode: 2, text };
  }
  if (error instanceof HostRefused) return { exitCode: 2, text: message };
  if (error instanceof EngineUnavailable) return { exitCode: 4, text: message };
  const plea = 'This is a fault of contract-test: please report it, with what the same command prints with --debug';
  return { exitCode: 5, text: `unexpected error: ${message}. ${plea}` };
}

/** The stack of an error and of what caused it. */
function stackOf(error: Error): string[] {
  const stack = error.stack ?? String(error);
  return error.cause instanceof Error ? [stack, `caused by ${stackOf(error.cause).join('\n')}`] : [stack];
}
