import { mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type CallOptions, type Guard, guard, type Rig } from '../../kernel/guard.ts';
import { keyedTwice } from '../keys/keyed.ts';
import { leftBy, mustHaveLeft, mustTell, type Sent, toldBy } from '../left.ts';
import { beside, messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { accept, flush } from './calls.ts';

/** Messages of a case; as many single sends are compared with them. */
const few = 12;

export const flushEqualsSingles: Guard = guard({
  id: 'send-batch/flush-equals-singles',
  statement:
    'What a flush leaves in every table, and tells, is what single sends leave and tell of the messages that were accepted, each in the context in which it was accepted.',
  needs: ['buffered'],
  proves: ['messages compared'],
  async check(bench) {
    const { offers, extras, keyPolicy } = bench.declaration;
    const what = 'a flush';
    await bench.case('full', () => mustLeaveTheSame(bench, messages(bench, few), what));
    await bench.case('mixed', () => mustLeaveTheSame(bench, messages(bench, few, 'mixed'), what));
    if (beside.some((offer) => offers.includes(offer))) {
      const batch = withEveryOffer(bench, messages(bench, few));
      await bench.case('every-offer', () =>
        mustLeaveTheSame(bench, batch, 'a flush of messages that ask for all that is offered'),
      );
    }
    if (extras.includes('ambient')) {
      const context = bench.token();
      await bench.case('in-a-context', () =>
        mustLeaveTheSame(bench, messages(bench, few), 'a flush of messages accepted in a context', { context }),
      );
    }
    // A flush that fails tells that of the whole, and one single send of that message alone.
    if (offers.includes('dedupeKey') && keyPolicy !== 'refuse') {
      await bench.case('keys-twice', () => mustTellTheSame(bench, keyedTwice(bench)));
    }
  },
});

const asSingles = 'by single sends';

async function mustLeaveTheSame(bench: Bench, batch: Message[], what: string, options?: CallOptions): Promise<void> {
  const apart = await bench.open();
  const empty = await apart.lease.snapshot();
  const singles = await sentOneByOne(apart, batch, options);
  await premise('single sends', () => {
    for (const { batch: one, by } of singles) mustSucceed(w, one, by, 'it');
  });
  const expected = await premise('single sends', () => leftBy(bench, apart, empty, singles, 'it'));
  const { rig, before, sent } = await flushed(bench, batch, options);
  mustSucceed(w, batch, sent.by, what);
  await mustHaveLeft(bench, await leftBy(bench, rig, before, [sent], what), expected, what, asSingles);
  bench.record('messages compared', batch.length);
}

async function mustTellTheSame(bench: Bench, batch: Message[]): Promise<void> {
  const apart = await bench.open();
  const empty = await apart.lease.snapshot();
  const expected = await toldBy(bench, apart, empty, await sentOneByOne(apart, batch));
  const { rig, before, sent } = await flushed(bench, batch);
  const what = 'a flush of messages of which some have the key of an earlier one';
  mustTell(await toldBy(bench, rig, before, [sent]), expected, what, asSingles);
  bench.record('messages compared', batch.length);
}

async function sentOneByOne(rig: Rig, batch: readonly Message[], options?: CallOptions): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const message of batch) sent.push({ batch: [message], by: await w.writeOne(rig, message, options) });
  return sent;
}

/** Accepts the messages and flushes them, outside of any context. */
async function flushed(bench: Bench, batch: readonly Message[], options?: CallOptions) {
  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  // Whether a message is dated when it is accepted or when it is written is the buffer's own matter.
  const startedAt = Date.now();
  await accept(rig, batch, options);
  return { rig, before, sent: { batch, by: { ...(await flush(rig)), startedAt } } };
}
