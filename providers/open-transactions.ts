import { setTimeout as pause } from 'node:timers/promises';
import { count } from '../contracts/kernel/print.ts';

/** Milliseconds that are waited at most for transactions that are open although no call is running. */
const longest = 500;

/**
 * Waits until the subject has no transaction open, where the engine lives in its thread: of statements none can be
 * running once the thread answers. Tells in words what was seen.
 */
export async function untilNoneIsOpen(openTransactions: () => Promise<number>): Promise<string> {
  const until = performance.now() + longest;
  let open = await openTransactions();
  while (open > 0 && performance.now() < until) {
    await pause(10);
    open = await openTransactions();
  }
  if (open === 0) return "no statement is running in the subject's thread, and no transaction is open";
  return `no statement is running in the subject's thread, but ${count(open, 'transactions')} stayed open`;
}
