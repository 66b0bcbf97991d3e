import { type Offer, offers } from '../../kernel/capabilities.ts';
import { mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import {
  type Bench,
  type CallOptions,
  type Guard,
  guard,
  NotApplicable,
  type Rig,
  Violation,
} from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { mustBeRefused } from '../../kernel/refused.ts';
import { positions, severalChunks } from '../../kernel/tables.ts';
import { grown } from '../../kernel/writes.ts';
import { accept, flush, mustHaveBeenEmpty } from '../buffers/calls.ts';
import { messages } from '../messages.ts';
import type { Message, SendOptions } from '../port.ts';
import { reported, sendWrites as w } from '../writes.ts';

export const unsupportedOptionIsRefused: Guard = guard({
  id: 'send-batch/unsupported-option-is-refused',
  statement:
    'An option that is not offered is refused before any write, in a message at any position and in the options of the call, by every member that takes messages.',
  proves: ['options sent', 'controls stored'],
  async check(bench) {
    const { offers: offered, extras } = bench.declaration;
    const [probe] = messages(bench, 1, 'bare');
    const missing = offers.filter((offer) => !offered.includes(offer) && using(bench, offer, [probe!], 0));
    if (missing.length === 0) throw new NotApplicable('backend', 'it offers every option');
    const size = severalChunks(bench);
    // Scheduled jobs in a batch have a guard of their own.
    for (const offer of missing.filter((o) => o !== 'jobs')) {
      const slots = isOfTheCall(offer) ? [0] : positions(bench, size).map(({ slot }) => slot);
      await bench.case(offer, () => mustRefuse(bench, 'sendBatch', [offer], slots));
    }
    if (extras.includes('sync')) {
      await bench.case('sendBatchSync', () => mustRefuse(bench, 'sendBatchSync', missing, [size - 1]));
    }
    if (extras.includes('buffered')) await bench.case('accept', () => mustAcceptNone(bench, missing, size - 1));
  },
});

type OptionOfTheCall = 'transaction' | 'cancel' | 'chunkSize';

function isOfTheCall(offer: Offer): offer is OptionOfTheCall {
  return offer === 'transaction' || offer === 'cancel' || offer === 'chunkSize';
}

/** A call that uses one option, in the words of a message. */
interface Using {
  batch: readonly Message[];
  options: SendOptions;
  how: CallOptions;
  what: string;
}

/** The batch with the option in that slot, or in the call; undefined where there is no such option. */
function using(bench: Bench, offer: Offer, batch: readonly Message[], slot: number): Using | undefined {
  const what = `a batch that uses ${offer}, which is not offered, in ${isOfTheCall(offer) ? 'its call' : `message ${slot}`}`;
  if (offer === 'cancel') return { batch, options: {}, how: { signal: new AbortController().signal }, what };
  if (isOfTheCall(offer)) {
    return { batch, options: offer === 'chunkSize' ? { chunkSize: 10 } : { transaction: {} }, how: {}, what };
  }
  const message = w.using(bench, batch[slot]!, offer);
  return message && { batch: batch.with(slot, message), options: {}, how: {}, what };
}

/** Sends batches that use one of the options each: all must be refused. Then one without them, which must be stored. */
async function mustRefuse(
  bench: Bench,
  member: 'sendBatch' | 'sendBatchSync',
  missing: readonly Offer[],
  slots: readonly number[],
): Promise<void> {
  const rig = await bench.open();
  const good = messages(bench, severalChunks(bench));
  for (const offer of missing) {
    for (const slot of slots) {
      const before = await rig.lease.snapshot();
      const { batch, options, how, what } = using(bench, offer, good, slot)!;
      const refusable = { items: good, slots: isOfTheCall(offer) ? ('all' as const) : [slot], before };
      const written = await reported(rig, member, [batch, options], how);
      await mustBeRefused(bench, w, rig, refusable, written, member === 'sendBatch' ? what : `${member} of ${what}`);
      bench.record('options sent', 1);
    }
  }
  await premise('the same batch without it', async () => {
    mustSucceed(w, good, await reported(rig, member, [good, {}]), 'it');
    await mustBeStored(bench, rig, good);
  });
}

/** What was not accepted has to be told at once: a flush has no caller to whom it could be refused. */
async function mustAcceptNone(bench: Bench, missing: readonly Offer[], slot: number): Promise<void> {
  const rig = await bench.open();
  const good = messages(bench, slot + 1);
  const before = await rig.lease.snapshot();
  for (const offer of missing) {
    const { batch, options, how, what } = using(bench, offer, good, slot)!;
    const settled = await rig.subject.call('accept', [batch, options], how);
    bench.record('options sent', 1);
    if (!('threw' in settled)) throw new Violation(`accept took ${what}: it has to throw, and to buffer none of it`);
  }
  const what = 'a flush after nothing but refused batches';
  mustHaveBeenEmpty(await flush(rig), what);
  const more = grown(before, await rig.lease.snapshot());
  if (Object.keys(more).length > 0) throw new Violation(`${what} wrote rows: ${short(more)}`);
  await premise('the flush of the same batch without them', async () => {
    await accept(rig, good);
    mustSucceed(w, good, await flush(rig), 'it');
    await mustBeStored(bench, rig, good);
  });
}

async function mustBeStored(bench: Bench, rig: Rig, batch: readonly Message[]): Promise<void> {
  await mustHaveStoredAll(bench, w, rig, batch, 'it');
  bench.record('controls stored', 1);
}
