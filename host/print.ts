import { inspect } from 'node:util';

/** A value in one short line, for messages; never throws and never runs the value's own code. */
export function print(value: unknown, length = 100): string {
  let text: string;
  try {
    text = inspect(value, {
      depth: 2,
      breakLength: Number.POSITIVE_INFINITY,
      maxArrayLength: 5,
      maxStringLength: length,
      customInspect: false,
      getters: false,
    });
  } catch {
    text = `a ${typeof value} that cannot be printed`;
  }
  const line = text.replaceAll(/\s*\n\s*/g, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
