import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Running } from './statement.ts';

/** Milliseconds between the looks into one statement: at once at first, then ever longer, seven seconds in all. */
const lookAfter = Array.from({ length: 40 }, (_, n) => (n < 4 ? 0 : 1.2 ** (n - 4)));

async function wait(ms: number): Promise<void> {
  await (ms === 0 ? nextTurn() : pause(ms, undefined, { ref: false }));
}

/**
 * Looks while statements run, a bounded number of times for each.
 *
 * `running` names the statement that runs, or nothing when there is no more to look at.
 */
export async function lookInside(
  running: () => Running | undefined,
  look: () => Promise<void>,
  waiting: (ms: number) => Promise<void> = wait,
): Promise<void> {
  // The statement has to be on its way first.
  await waiting(0);
  for (let statement = running(); statement; statement = running()) {
    for (const ms of lookAfter) {
      await waiting(ms);
      if (running() !== statement) break;
      await look();
    }
    // It has been looked at often enough, and nothing else runs before it ends.
    if (running() === statement) return;
  }
}

/**
 * Looks while a Sync is held back, which commits what ran before it outside a transaction. Until the server has that, it
 * is inside, however quick it is: the first looks find it at work, the last most likely done.
 */
export async function lookBeforeSync(look: () => Promise<void>): Promise<void> {
  for (const ms of [0, 1, 4]) {
    await wait(ms);
    await look();
  }
}
