import type { EngineFacts } from './capabilities.ts';
import type { Lease } from './engine.ts';

/** Milliseconds that the first session is waited for, which may write without ever waiting for the lock. */
const longest = 20_000;
/** Milliseconds that the others are waited for, once the first waits: they may be kept by something else. */
const patient = 5000;

/**
 * Begins calls that are to meet: where there are locks, none of them can write before so many sessions have been seen
 * to wait. Who need not wait for them so long has a patience of its own.
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
  const lock = await lease.arm({ at: 'lock' });
  const calls = begin();
  const settled = calls.catch(() => {});
  await within(longest, settled, lock.waiting!(1));
  await within(patience, settled, lock.waiting!(sessions));
  await lock.disarm();
  return calls;
}

/** Waits for whatever comes first, but no longer. */
async function within(milliseconds: number, ...events: Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([late, ...events]);
  clearTimeout(timer);
}
