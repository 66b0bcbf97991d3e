import { UsageError } from '../runner/usage-error.ts';

/** A file that a reporter was to write, and cannot; with the reason. */
export function unwritable(reporter: string, file: string, error: unknown): UsageError {
  return new UsageError(`--reporter ${reporter}=${file} cannot be written: ${reasonOf(error)}`);
}

/** What the system says, without the path, which is told already. */
export function reasonOf(error: unknown): string {
  const { message } = error as NodeJS.ErrnoException;
  return message.replace(/, \w+ '.*$/s, '');
}
