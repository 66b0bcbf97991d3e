import { failureText, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type CallOptions, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { mustNameTheirRows } from '../ids/naming.ts';
import { keyedTwice } from '../keys/keyed.ts';
import { leftBy, mustHaveLeft, mustTell, toldBy } from '../left.ts';
import { beside, messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { reported, sendWrites as w } from '../writes.ts';

export const syncAndAsyncAgree: Guard = guard({
  id: 'send-batch/sync-and-async-agree',
  statement:
    'The batch call that has ended when it returns brings the outcomes of the other one, and leaves the same in every table.',
  needs: ['sync'],
  proves: ['messages compared', 'failures compared'],
  async check(bench) {
    const { offers, extras } = bench.declaration;
    const size = severalChunks(bench);
    for (const shape of ['full', 'bare', 'mixed'] as const) {
      await bench.case(shape, () => mustAgreeOn(bench, messages(bench, size, shape)));
    }
    if (beside.some((offer) => offers.includes(offer))) {
      await bench.case('every-offer', () => mustAgreeOn(bench, withEveryOffer(bench, messages(bench, size))));
    }
    if (extras.includes('ambient')) {
      const context = bench.token();
      await bench.case('in-a-context', () => mustAgreeOn(bench, messages(bench, size), { context }));
    }
    if (offers.includes('dedupeKey')) await bench.case('keys-twice', () => mustTellTheSame(bench, keyedTwice(bench)));
    await bench.case('one-message', () => mustAgreeOn(bench, messages(bench, 1)));
    await bench.case('no-message', () => mustAgreeOn(bench, []));
    await bench.case('unreadable-body', () => {
      const batch = messages(bench, size).map((m, slot) => (slot === size - 1 ? w.unreadable(m) : m));
      return mustAgreeOn(bench, batch);
    });
  },
});

/** Sends a batch by both calls, each on a lease of its own. */
async function mustAgreeOn(bench: Bench, batch: Message[], options?: CallOptions): Promise<void> {
  const { left, right, empty, awaited, atOnce } = await sentByBoth(bench, batch, options);
  mustHaveOneShape(awaited, atOnce);
  if (failureOf(awaited)) {
    await mustBeTrue(bench, w, right, batch, atOnce, 'a batch that sendBatchSync refused');
    bench.record('failures compared', 1);
    return;
  }
  mustSucceed(w, batch, awaited, 'sendBatch');
  const expected = await leftBy(bench, left, empty.left, [{ batch, by: awaited }], 'sendBatch');
  const found = await leftBy(bench, right, empty.right, [{ batch, by: atOnce }], 'sendBatchSync');
  await mustHaveLeft(bench, found, expected, 'sendBatchSync', asSendBatch);
  if (bench.declaration.givesUp.ids === undefined) await mustNameTheirRows(bench, right, batch, atOnce);
  if (batch.length > 0) bench.record('messages compared', batch.length);
}

/** Sends a batch of which not every message need be stored. */
async function mustTellTheSame(bench: Bench, batch: Message[]): Promise<void> {
  const { left, right, empty, awaited, atOnce } = await sentByBoth(bench, batch);
  mustHaveOneShape(awaited, atOnce);
  const expected = await toldBy(bench, left, empty.left, [{ batch, by: awaited }]);
  const found = await toldBy(bench, right, empty.right, [{ batch, by: atOnce }]);
  mustTell(found, expected, 'sendBatchSync of messages of which some have the key of an earlier one', asSendBatch);
  bench.record('messages compared', batch.length);
}

const asSendBatch = 'by sendBatch';

async function sentByBoth(bench: Bench, batch: readonly Message[], options?: CallOptions) {
  const [left, right] = [await bench.open(), await bench.open()];
  const empty = { left: await left.lease.snapshot(), right: await right.lease.snapshot() };
  const awaited = await w.write(left, batch, options);
  const atOnce = await reported(right, 'sendBatchSync', [batch, {}], options);
  return { left, right, empty, awaited, atOnce };
}

/** Fails unless both calls ended in one way, outcome by outcome; the ids and the words of errors aside. */
function mustHaveOneShape(awaited: Written, atOnce: Written): void {
  const [expected, found] = [shapeOf(awaited), shapeOf(atOnce)];
  const slot = expected.findIndex((kind, i) => kind !== found[i]);
  if (slot >= 0 || expected.length !== found.length) {
    const at = Math.max(0, slot);
    const failure = failureOf(atOnce) ?? failureOf(awaited);
    throw new Violation(
      `sendBatch ${wordsOf(awaited, expected)}, sendBatchSync ${wordsOf(atOnce, found)} of the same batch; ` +
        `first difference in outcome ${at}: ${expected[at] ?? 'none'} and ${found[at] ?? 'none'}` +
        `${failure ? ` (${failureText(failure)})` : ''}`,
    );
  }
}

function shapeOf({ outcomes, threw }: Written): string[] {
  if (threw) return [`thrown ${threw.name}`];
  return outcomes?.map((outcome) => Object.keys(outcome).toSorted().join('+')) ?? ['no list of outcomes'];
}

function wordsOf({ threw, outcomes }: Written, shape: string[]): string {
  if (threw) return `threw ${threw.name}`;
  return outcomes ? `brought ${shape.length} outcomes` : 'brought no list of outcomes';
}
