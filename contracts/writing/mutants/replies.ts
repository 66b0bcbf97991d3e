import type { ReportedOutcome } from '../../kernel/outcome.ts';

/** What can be asked of a call beside its items; whatever else a contract asks for is handed on with it. */
export interface BatchOptions {
  signal?: AbortSignal;
}

/** The batch call of a subject. */
export type WriteBatch<Item> = (items: readonly Item[], options: BatchOptions) => Promise<readonly ReportedOutcome[]>;

/** How a call of the subject ended. */
export type Reply = { value: readonly ReportedOutcome[] } | { threw: unknown };

/** Waits for a call, and keeps what it throws. */
export async function settle<T>(call: Promise<T>): Promise<{ value: T } | { threw: unknown }> {
  try {
    return { value: await call };
  } catch (threw) {
    return { threw };
  }
}

/** Calls the subject and keeps what it throws. */
export function ask<Item>(honest: WriteBatch<Item>, items: readonly Item[], options: BatchOptions): Promise<Reply> {
  return settle(honest(items, options));
}

/** Ends the mutant's call as the subject's call ended. */
export function answer(reply: Reply): readonly ReportedOutcome[] {
  if ('threw' in reply) throw reply.threw;
  return reply.value;
}

export function hasFailed(reply: Reply): boolean {
  return 'threw' in reply || reply.value.some(isFailure);
}

export function isFailure(outcome: ReportedOutcome): boolean {
  return 'failed' in outcome || 'unknown' in outcome;
}

/** Ends the mutant's call of `count` items the way in which a part of it failed. */
export function failWhole(reply: Reply, count: number): readonly ReportedOutcome[] {
  if ('threw' in reply) throw reply.threw;
  return Array<ReportedOutcome>(count).fill({ failed: errorOf(reply) });
}

/** What went wrong, by a reply that has failed. */
export function errorOf(reply: Reply): unknown {
  if ('threw' in reply) return reply.threw;
  for (const outcome of reply.value) {
    if ('failed' in outcome) return outcome.failed;
    if ('unknown' in outcome) return outcome.unknown;
  }
  return new Error('nothing failed');
}

/** What went wrong, and what caused it. */
export function errorsOf(reply: Reply): Error[] {
  const errors: Error[] = [];
  for (let error = errorOf(reply); error instanceof Error && errors.length < 20; error = error.cause)
    errors.push(error);
  return errors;
}

/** Whether a call failed in these words of the engine. */
export function isRefused(reply: Reply, words: RegExp): boolean {
  return hasFailed(reply) && errorsOf(reply).some(({ message }) => words.test(message));
}

/** Whether the engine refused a row; lies about that are told of no other failure, such as a lost connection. */
export function isRowRefused(reply: Reply): boolean {
  return isRefused(reply, /^refused by/);
}

/** Outcomes that claim so many stored items, under ids that no row has. */
export function madeUp(count: number): ReportedOutcome[] {
  return Array.from({ length: count }, (_, slot) => ({ stored: 1_000_000_007 + slot }));
}

/** The same options, for a call that cannot be aborted. */
export function withoutSignal({ signal: _dropped, ...options }: BatchOptions): BatchOptions {
  return options;
}
