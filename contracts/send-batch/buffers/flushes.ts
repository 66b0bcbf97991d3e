import { mustBeExact, mustHaveStoredAll, mustSucceed, mustTellOfFailure } from '../../kernel/checks.ts';
import { type CallOptions, type Guard, guard } from '../../kernel/guard.ts';
import { rowAt, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf } from '../../kernel/writes.ts';
import { beside, messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { accept, flush, mustBeFlushed, mustHaveBeenEmpty, pending } from './calls.ts';

/** More than the buffers of writers that flush by themselves have been seen to hold. */
const overflowing = 1100;

export const flushCoversEverythingAccepted: Guard = guard({
  id: 'send-batch/flush-covers-everything-accepted',
  statement:
    'A flush stores everything that was accepted before it, as it was accepted, and reports each of it in the order of acceptance.',
  needs: ['buffered'],
  proves: ['pending at the flush', 'messages flushed'],
  async check(bench) {
    const covers = async (batches: Message[][], what: string, together = false, options?: CallOptions) => {
      const rig = await bench.open();
      const since = Date.now();
      if (together) await Promise.all(batches.map((batch) => accept(rig, batch, options)));
      else for (const batch of batches) await accept(rig, batch, options);
      const accepted = batches.flat();
      bench.record('pending at the flush', await pending(bench, rig, accepted));
      const flushed = await flush(rig);
      const rows = await mustBeFlushed(bench, rig, accepted, flushed, what);
      // Whether a message is dated when it is accepted or when it is written is the buffer's own matter.
      mustBeExact(bench, w, accepted, rows, { ...flushed, startedAt: since }, what);
      bench.record('messages flushed', accepted.length);
    };
    const several = (sizes: number[]) => sizes.map((size) => messages(bench, size));
    const most = bench.declaration.limits.maxItems ?? overflowing;
    await bench.case('one-by-one', () => covers(several([1, 1, 1, 1]), 'a flush of messages accepted one by one'));
    await bench.case('several-batches', () =>
      covers(several([1, severalChunks(bench), 7]), 'a flush of several accepted batches'),
    );
    await bench.case('accepted-at-once', () =>
      covers(several([3, 20, 5]), 'a flush of batches that were accepted at once', true),
    );
    await bench.case('more-than-a-buffer', () =>
      covers(several([Math.min(overflowing, most)]), 'a flush of a large number of messages'),
    );
    await bench.case('different-options', () =>
      covers([messages(bench, 20, 'mixed')], 'a flush of messages with different options'),
    );
    await bench.case('changed-after-accept', () =>
      covers(
        several([7]),
        "a flush of messages that were overwritten (texts by 'scrambled') once they had been accepted",
        false,
        { scramble: 'settled' },
      ),
    );
    for (const offer of beside.filter((o) => bench.declaration.offers.includes(o))) {
      const batch = messages(bench, 3).map((message) => w.using(bench, message, offer)!);
      await bench.case(`with-${offer}`, () => covers([batch], `a flush of messages that use ${offer}`));
    }
  },
});

export const failedFlushIsToldAndKept: Guard = guard({
  id: 'send-batch/failed-flush-is-told-and-kept',
  statement: 'A flush that fails says so, and what it could not store is stored by the next one.',
  needs: ['buffered', 'rowFault'],
  proves: ['faults raised', 'stored by the next flush'],
  async check(bench) {
    const size = severalChunks(bench);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, messages(bench, size)))[0]!;
    for (const [name, slot] of [
      ['first', 0],
      ['last', size - 1],
    ] as const) {
      await bench.case(`${name}-row-refused`, async () => {
        const rig = await bench.open();
        const accepted = messages(bench, size);
        await accept(rig, accepted);
        const fault = await rig.lease.arm({ at: 'row', table, nth: rowAt(slot, size, rows), kind: 'trigger' });
        const failed = await flush(rig);
        bench.record('faults raised', (await fault.sprung()).raised);
        await fault.disarm();
        const what = `a flush whose ${name} row the engine refused`;
        mustTellOfFailure(w, accepted, failed, what);
        const { stored } = await mustBeTrue(bench, w, rig, accepted, failed, what);
        const later = messages(bench, 3);
        await accept(rig, later);
        const next = await flush(rig);
        const all = [...accepted, ...later];
        mustSucceed(w, all.slice(stored), next, 'the flush after one that failed');
        await mustHaveStoredAll(bench, w, rig, all, 'the flush after one that failed');
        bench.record('stored by the next flush', size - stored);
      });
    }
  },
});

export const flushWritesOnce: Guard = guard({
  id: 'send-batch/flush-writes-once',
  statement: 'What was flushed is not written again: by a second flush, by one at the same time, or when it is closed.',
  needs: ['buffered'],
  proves: ['pending at the flush', 'second flushes'],
  async check(bench) {
    const size = severalChunks(bench);
    const filled = async () => {
      const rig = await bench.open();
      const accepted = messages(bench, size);
      await accept(rig, accepted);
      bench.record('pending at the flush', await pending(bench, rig, accepted));
      return { rig, accepted };
    };
    await bench.case('one-after-the-other', async () => {
      const { rig, accepted } = await filled();
      await mustBeFlushed(bench, rig, accepted, await flush(rig), 'a flush');
      mustHaveBeenEmpty(await flush(rig), 'a second flush, of nothing,');
      await mustHaveStoredAll(bench, w, rig, accepted, 'after a second flush');
      const later = messages(bench, 2);
      await accept(rig, later);
      await mustBeFlushed(bench, rig, later, await flush(rig), 'the flush of what was accepted later');
      await mustHaveStoredAll(bench, w, rig, [...accepted, ...later], 'after a third flush');
      bench.record('second flushes', 1);
    });
    await bench.case('two-at-once', async () => {
      const { rig, accepted } = await filled();
      const both = await Promise.all([flush(rig), flush(rig)]);
      await mustHaveStoredAll(bench, w, rig, accepted, 'after two flushes at once');
      if (both.every((flushed) => !failureOf(flushed))) bench.record('second flushes', 1);
    });
    const { observer } = bench.facts.lacks;
    if (observer !== undefined) {
      return bench.leaveOut('closed', `what is stored there may end with the subject: ${observer}`);
    }
    await bench.case('closed', async () => {
      const { rig, accepted } = await filled();
      await mustBeFlushed(bench, rig, accepted, await flush(rig), 'a flush');
      await rig.subject.close();
      const again = await bench.open({ lease: rig.lease });
      await mustHaveStoredAll(bench, w, again, accepted, 'after a flush and a close');
    });
  },
});
