import type { SeenStatement } from '../kernel/engine.ts';

/** A call's begin and end on the clock of the statements, in milliseconds. */
export interface Span {
  startedMs: number;
  settledMs: number;
}

/**
 * What was begun while a call ran, and came into effect when the call had settled: a statement that wrote something, or
 * the commit of a transaction that did. What a library does at any other time may be its own business.
 */
export function unawaited(statements: readonly SeenStatement[], { startedMs, settledMs }: Span): SeenStatement[] {
  const open = new Map<number, { startedMs: number; wrote: boolean; failed: boolean }>();
  const late: SeenStatement[] = [];
  for (const statement of statements.toSorted((a, b) => a.startedMs - b.startedMs)) {
    const { connection, kind } = statement;
    const failed = statement.failed !== undefined;
    const transaction = open.get(connection);
    if (kind === 'begin') open.set(connection, { startedMs: statement.startedMs, wrote: false, failed: false });
    if (transaction && kind === 'write') transaction.wrote = true;
    if (transaction && failed) transaction.failed = true;
    if (kind === 'commit' || kind === 'rollback') open.delete(connection);

    const takesEffect = transaction ? kind === 'commit' && transaction.wrote && !transaction.failed : kind === 'write';
    const began = (transaction ?? statement).startedMs;
    const duringCall = startedMs <= began && began < settledMs;
    if (takesEffect && !failed && duringCall && settledMs < statement.endedMs) late.push(statement);
  }
  return late;
}
