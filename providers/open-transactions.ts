import { setTimeout as pause } from 'node:timers/promises';
import type { Stillness } from '../contracts/kernel/engine.ts';
import { count } from '../contracts/kernel/print.ts';

/** Milliseconds that are waited at most for transactions that are open although no call is running. */
const longest = 500;

/**
 * Waits until the subject has no transaction open, where the engine lives in its thread: of statements none can be
 * running once the thread answers.
 */
export async function untilNoneIsOpen(openTransactions: () => Promise<number>): Promise<Stillness> {
  const until = performance.now() + longest;
  let open = await openTransactions();
  const stirred = open > 0;
  while (open > 0 && performance.now() < until) {
    await pause(10);
    open = await openTransactions();
  }
  const left = open === 0 ? 'and no transaction is open' : `but ${count(open, 'transactions')} stayed open`;
  return { words: `no statement is running in the subject's thread, ${left}`, stirred, open: open > 0 };
}
