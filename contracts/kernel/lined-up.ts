import type { EngineFacts } from './capabilities.ts';
import type { Lease } from './engine.ts';

/** Milliseconds that the first session is waited for, which may write in a way that is not seen. */
const longest = 20_000;
/** Milliseconds that the others are waited for, once the first waits: they may be kept by something else. */
const patient = 5000;

/**
 * Begins calls that are to meet: where sessions can be kept waiting, none of them writes before so many are seen to be
 * about to. Who need not wait for them so long has a patience of its own.
 */
export async function linedUp<T>(
  {
    facts,
    lease,
    sessions,
    patience = patient,
  }: { facts: EngineFacts; lease: Lease; sessions: number; patience?: number },
  begin: () => Promise<T>,
): Promise<T> {
  if (facts.lacks.lock !== undefined) return begin();
  const start = await lease.arm({ at: 'start' });
  const calls = begin();
  const settled = calls.catch(() => {});
  await within(longest, settled, start.waiting!(1));
  await within(patience, settled, start.waiting!(sessions));
  await start.disarm();
  return calls;
}

/** Waits for whatever comes first, but no longer. */
export async function within(milliseconds: number, ...events: Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([late, ...events]);
  clearTimeout(timer);
}
