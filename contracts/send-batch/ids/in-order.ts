import { byToken, mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { claimedIds, declaredChunkRows, failureOf, grown } from '../../kernel/writes.ts';
import { destinationsOf, messages, offeredOptions } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { mustNameTheirRows } from './naming.ts';

/** Sizes at which ids have been seen to go wrong, with those around the declared chunk. */
function sizes(bench: Bench): number[] {
  const chunk = declaredChunkRows(bench.declaration);
  const around = Number.isFinite(chunk) ? [chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1] : [];
  return [...new Set([1, 2, 11, ...around, 257, 5000])].filter((n) => n > 0).sort((a, b) => a - b);
}

export const idsInCallerOrder: Guard = guard({
  id: 'send-batch/ids-in-caller-order',
  statement: 'The row behind the id in outcome i holds message i.',
  needs: ['ids'],
  proves: ['messages found by id', 'sizes tried'],
  async check(bench) {
    const most = bench.declaration.limits.maxItems ?? Number.POSITIVE_INFINITY;
    for (const size of sizes(bench)) {
      if (size > most) {
        await bench.case(`size-${size}-above-the-maximum`, () => refusedWhole(bench, size));
        continue;
      }
      await bench.case(`size-${size}`, async () => {
        const rig = await bench.open();
        await idsMatch(bench, rig, size);
        bench.record('sizes tried', 1);
      });
    }
    await bench.case('on-a-filled-table', async () => {
      const rig = await bench.open();
      const filling = Math.min(2000, most);
      const before = messages(bench, filling);
      mustSucceed(w, before, await w.write(rig, before), `filling the table with ${filling} messages`);
      await rig.lease.analyse();
      await idsMatch(bench, rig, Math.min(257, most));
      bench.record('rows in the filled table', filling);
    });
    const destinations = offeredOptions(bench).includes('destination') ? destinationsOf(bench).length : 1;
    bench.record('destinations in a batch', destinations);
    bench.record('columns that are sorted', 'none: each follows a shuffle of its own');
  },
});

async function idsMatch(bench: Bench, rig: Rig, size: number): Promise<void> {
  const batch = messages(bench, size);
  const written = await w.write(rig, batch);
  mustSucceed(w, batch, written, `a batch of ${size}`);
  await mustHaveStoredAll(bench, w, rig, batch, `a batch of ${size}`);
  await mustNameTheirRows(bench, rig, batch, written);
  bench.record('messages found by id', size);
}

async function refusedWhole(bench: Bench, size: number): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, size);
  const before = await rig.lease.snapshot();
  const written = await w.write(rig, batch);
  if (!failureOf(written))
    throw new Violation(`${size} messages are above the declared maximum, yet they were not refused`);
  const more = grown(before, await rig.lease.snapshot());
  if (Object.keys(more).length > 0)
    throw new Violation(`${size} messages are above the declared maximum; some were written all the same`);
}

export const idsAreUniqueAndReal: Guard = guard({
  id: 'send-batch/ids-are-unique-and-real',
  statement:
    'Ids are distinct, within the batch and from earlier batches, and after a second batch every row of the first is still found.',
  needs: ['ids'],
  proves: ['ids compared'],
  async check(bench) {
    const rig = await bench.open();
    const size = Math.min(40, bench.declaration.limits.maxItems ?? 40);
    const batches = [messages(bench, size), messages(bench, size), messages(bench, 1)];
    const seen = new Map<string, number>();
    for (const [index, batch] of batches.entries()) {
      const written = await w.write(rig, batch);
      mustSucceed(w, batch, written, `batch ${index + 1}`);
      const ids = claimedIds(written);
      if (ids.length !== batch.length)
        throw new Violation(`batch ${index + 1}: ${count(ids.length, 'ids')} for ${count(batch.length, 'messages')}`);
      for (const id of ids) {
        const earlier = seen.get(id);
        if (earlier !== undefined) {
          throw new Violation(
            `id ${id} was given out twice: ${earlier === index ? 'within one batch' : `by batch ${earlier + 1} and batch ${index + 1}`}`,
          );
        }
        seen.set(id, index);
      }
      bench.record('ids compared', ids.length);
    }
    const rows = await w.stored(bench, rig);
    const real = new Set(rows.map((row) => row.id));
    const invented = [...seen.keys()].filter((id) => !real.has(id));
    if (invented.length > 0)
      throw new Violation(`${count(invented.length, 'ids')} name no row, for example ${invented[0]}`);
    const found = byToken(rows);
    for (const [index, batch] of batches.entries()) {
      const lost = batch.filter((message) => !found.has(w.token(message))).length;
      if (lost > 0)
        throw new Violation(
          `after batch ${batches.length}, ${lost} of ${count(batch.length, 'messages')} of batch ${index + 1} are gone`,
        );
    }
  },
});

export const identicalMessages: Guard = guard({
  id: 'send-batch/identical-messages-get-their-own-ids',
  statement:
    'Equal messages without a key, one object at two positions, and messages that set nothing are stored as often as they are sent.',
  proves: ['identical messages stored'],
  async check(bench) {
    await bench.case('equal-messages', async () => {
      const [message] = messages(bench, 1);
      await storedAsOftenAsSent(
        bench,
        Array.from({ length: 5 }, () => structuredClone(message!)),
      );
    });
    await bench.case('one-object-at-several-positions', async () => {
      const [first, second] = messages(bench, 2);
      await storedAsOftenAsSent(bench, [first!, second!, first!, first!]);
    });
    await bench.case('messages-that-set-nothing', async () => {
      const empty =
        bench.declaration.body === 'text' ? '' : bench.declaration.body === 'bytes' ? new Uint8Array() : null;
      await storedAsOftenAsSent(
        bench,
        Array.from({ length: 4 }, () => ({ body: empty })),
      );
    });
  },
});

async function storedAsOftenAsSent(bench: Bench, batch: Message[]): Promise<void> {
  const rig = await bench.open();
  const written = await w.write(rig, batch);
  mustSucceed(w, batch, written, 'a batch of identical messages');
  const rows = await w.stored(bench, rig);
  if (rows.length !== batch.length)
    throw new Violation(`${count(batch.length, 'messages')} were sent, ${count(rows.length, 'rows')} are stored`);
  if (bench.declaration.givesUp.ids === undefined) {
    const ids = new Set(claimedIds(written));
    if (ids.size !== batch.length)
      throw new Violation(`${count(batch.length, 'messages')} share ${count(ids.size, 'ids')}`);
  }
  bench.record('identical messages stored', rows.length);
}
