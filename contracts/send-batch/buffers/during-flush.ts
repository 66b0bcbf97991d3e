import { mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig } from '../../kernel/guard.ts';
import { within } from '../../kernel/lined-up.ts';
import { failureOf } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { accept, flush } from './calls.ts';

/** Milliseconds that are waited for a message to be accepted while a flush is held: the subject may accept none then. */
const patience = 1000;
/** So long is what is flushed, so that something can come while it is written; and no more comes, so that it ends. */
const many = 500;
/** What comes just when is chance, so that it is tried several times. */
const rounds = 15;

export const sentDuringFlushIsKept: Guard = guard({
  id: 'send-batch/sent-during-flush-is-kept',
  statement: 'What is accepted while a flush is running is stored, by it or by the next one.',
  needs: ['buffered'],
  needsThread: true,
  proves: ['accepted during a flush'],
  async check(bench) {
    let during = 0;
    await bench.case('begun-at-once', async () => {
      const rig = await bench.open();
      for (let round = 0; round < rounds; round++) during += await acceptDuring(bench, rig, async () => async () => {});
    });
    for (const [name, hold] of Object.entries(holds(bench))) {
      await bench.case(name, async () => {
        during += await acceptDuring(bench, await bench.open(), hold);
      });
    }
    if (during === 0) {
      throw new NotApplicable(
        'backend',
        'nothing was ever accepted during a flush: the subject does one after the other',
      );
    }
    bench.record('accepted during a flush', during);
  },
});

/** Prepares that a flush of these messages cannot end; returns the way to let it go. */
type Hold = (rig: Rig, buffered: Message[]) => Promise<() => Promise<unknown>>;

function holds(bench: Bench): Record<string, Hold> {
  const { offers } = bench.declaration;
  return {
    ...(bench.facts.lacks.hold === undefined && { 'held-before-its-commit': holdTheCommit }),
    ...(offers.includes('transaction') && offers.includes('dedupeKey') && { 'waits-for-a-key': holdAKey(bench) }),
  };
}

async function holdTheCommit({ lease }: Rig): Promise<() => Promise<unknown>> {
  const held = await lease.arm({ at: 'hold', point: { commit: 'before-sent' } });
  return () => held.disarm();
}

/** A caller's transaction has written a message with the key of one that is in the buffer, and is rolled back later. */
function holdAKey(bench: Bench): Hold {
  return async ({ subject }, buffered) => {
    const dedupeKey = `key-${bench.token()}`;
    Object.assign(buffered[0]!, { dedupeKey });
    const transaction = await subject.begin();
    const [other] = messages(bench, 1);
    const { destination } = buffered[0]!;
    const twin = { ...other, dedupeKey, ...(destination !== undefined && { destination }) };
    await subject.call('sendBatch', [[twin], {}], { transaction });
    return () => transaction.rollback();
  };
}

/**
 * Accepts messages for as long as others are flushed, one after the other in two rows, so that some come before the
 * write, some while it lasts and some after it; and flushes again. Returns how many were seen to be accepted meanwhile.
 */
async function acceptDuring(bench: Bench, rig: Rig, hold: Hold): Promise<number> {
  const size = Math.min(many, bench.declaration.limits.maxItems ?? many);
  const [first, waiting] = [messages(bench, size), messages(bench, size)];
  const letGo = await hold(rig, first);
  await accept(rig, first);
  let ended = false;
  const flushing = flush(rig).finally(() => {
    ended = true;
  });
  const later: Message[] = [];
  let during = 0;
  const { promise: oneIsAccepted, resolve } = Promise.withResolvers<void>();
  const acceptOneByOne = async () => {
    while (!ended && later.length < size) {
      const message = waiting[later.length]!;
      later.push(message);
      await accept(rig, [message]);
      // Replies come in the order in which calls end.
      if (!ended) during += 1;
      resolve();
    }
  };
  const accepting = Promise.all([acceptOneByOne(), acceptOneByOne()]);
  await within(patience, oneIsAccepted, accepting, flushing);
  await letGo();
  const [flushed] = await Promise.all([flushing, accepting]);
  // Who cannot wait for what was held has failed, which is for other guards.
  if (failureOf(flushed)) return 0;
  const all = [...first, ...later];
  const rest = all.slice(flushed.outcomes!.length);
  mustSucceed(w, rest, await flush(rig), 'the flush after one during which messages were accepted');
  await mustHaveStoredAll(bench, w, rig, all, 'messages of which some were accepted during a flush');
  return during;
}
