import { byToken, failureText, mustCount, mustHaveStoredAll } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { linedUp } from '../../kernel/lined-up.ts';
import { failureChain, type Outcome } from '../../kernel/outcome.ts';
import { count, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { overlap } from '../../writing/concurrent-failure.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { keyed } from './keyed.ts';

/** Batches of two writers that are sent at once, with new keys each time. */
const rounds = 3;

export const racingKeysStoreOnce: Guard = guard({
  id: 'send-batch/racing-keys-store-once',
  statement:
    'Of two writers that send the same keys at once each key is stored once, and the other is told of a duplicate, with the id of that row.',
  needs: ['dedupeKey', 'twoHosts', 'lock', 'trace'],
  needsThread: true,
  proves: ['calls overlapped', 'keys stored by one of two', 'keys lost to the other'],
  async check(bench) {
    for (const [name, size] of Object.entries({ 'one-key': 1, 'many-keys': severalChunks(bench) })) {
      await bench.case(name, async () => {
        const writers = await twoWriters(bench);
        for (let round = 0; round < rounds; round++) {
          const batch = keyed(bench, size);
          const both = await raced(bench, writers, [batch, batch]);
          await mustStoreOnce(bench, writers[0], batch, both);
        }
      });
    }
  },
});

type Two<T> = [T, T];

async function twoWriters(bench: Bench): Promise<Two<Rig>> {
  const left = await bench.open();
  return [left, await bench.open({ lease: left.lease, anotherHost: true })];
}

/** Sends two batches at once: neither writes before both are about to. Records whether they overlapped. */
async function raced(bench: Bench, [left, right]: Two<Rig>, batches: Two<readonly Message[]>): Promise<Two<Written>> {
  const { lease } = left;
  const watch = await lease.watch();
  const both = await linedUp({ facts: bench.facts, lease, sessions: 2 }, () =>
    Promise.all([w.write(left, batches[0]), w.write(right, batches[1])]),
  );
  if (overlap((await watch.stop()).statements)) bench.record('calls overlapped', 1);
  return both;
}

/** Fails the guard unless each key is stored once, one of the writers is told so, and the other of its duplicate. */
async function mustStoreOnce(bench: Bench, rig: Rig, batch: readonly Message[], both: Two<Written>): Promise<void> {
  const what = `${count(batch.length, 'messages')} with keys, sent by two writers at once`;
  const refuses = bench.declaration.keyPolicy === 'refuse';
  const failed = both.filter((written) => failureOf(written));
  if (failed.length > (refuses ? 1 : 0)) {
    const why = failureText(failureOf(failed[0]!)!);
    const instead = refuses ? 'one of them has to be stored' : 'who comes second is to be told of duplicates';
    throw new Violation(`${what}: ${failed.length} of the two batches failed (${why}); ${instead}`);
  }
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  for (const written of both) if (!failureOf(written)) mustCount(w, batch, written, what);
  const slots = batch.map((message, slot): SlotLine => {
    const id = bench.declaration.givesUp.ids === undefined ? rows[slot]!.id : null;
    const outcomes = both.map((written) => written.outcomes?.[slot]);
    // Whether the id of what is stored is right is for the guards about ids.
    const winners = outcomes.filter((outcome) => outcome !== undefined && 'stored' in outcome);
    const losers = outcomes.filter((outcome) => (refuses ? isFailed(outcome) : isDuplicate(outcome, id)));
    return {
      slot,
      mark: winners.length === 1 && losers.length === 1 ? 'ok' : 'wrong',
      sent: w.print(message),
      expected: `one stored, the other ${refuses ? 'failed' : `duplicate of row ${rows[slot]!.id}`}`,
      stored: outcomes.map((outcome) => (outcome ? short(outcome) : 'failed')).join(' and '),
    };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length > 0) {
    throw new Violation(
      `${what}: ${bad.length} of them are not told as stored to one writer and as a duplicate to the other; ` +
        `first in slot ${bad[0]!.slot}: expected ${bad[0]!.expected}, told ${bad[0]!.stored}`,
      { input: what, slots },
    );
  }
  bench.record('keys stored by one of two', batch.length);
  bench.record('keys lost to the other', batch.length);
}

function isDuplicate(outcome: Outcome | undefined, id: string | null): boolean {
  return outcome !== undefined && 'duplicate' in outcome && (id === null || outcome.duplicate === id);
}

function isFailed(outcome: Outcome | undefined): boolean {
  return outcome === undefined || 'failed' in outcome;
}

export const oppositeOrdersDoNotDeadlock: Guard = guard({
  id: 'send-batch/opposite-orders-do-not-deadlock',
  statement:
    'Of two batches over the same keys in opposite order each is stored whole, or fails whole with an error that the backend itself calls retryable; both settle.',
  needs: ['dedupeKey', 'twoHosts', 'lock', 'trace'],
  needsThread: true,
  proves: ['calls overlapped', 'batches stored', 'keys lost to the other'],
  async check(bench) {
    const writers = await twoWriters(bench);
    for (let round = 1; round <= rounds; round++) {
      await bench.case(`round-${round}`, async () => {
        const batch = keyed(bench, severalChunks(bench));
        const orders: Two<readonly Message[]> = [batch, batch.toReversed()];
        const both = await raced(bench, writers, orders);
        const what = `${count(batch.length, 'messages')} with keys, sent by two writers in opposite orders`;
        const accepted = both.filter((written) => !failureOf(written));
        for (const written of both) mustBeRetryable(bench, written, what);
        for (const written of accepted) mustCount(w, batch, written, what);
        if (accepted.length > 0) await mustHaveStoredAll(bench, w, writers[0], batch, what);
        else await mustHaveLeftNothing(bench, writers[0], batch, what);
        if (accepted.length > 0) bench.record('batches stored', accepted.length);
        const duplicates = accepted.flatMap(({ outcomes }) => outcomes!.filter((outcome) => 'duplicate' in outcome));
        bench.record('keys lost to the other', accepted.length < 2 ? batch.length : duplicates.length);
      });
    }
  },
});

/** A batch that gives way to another can be sent again, and has to say so. */
function mustBeRetryable(bench: Bench, written: Written, what: string): void {
  const failure = failureOf(written);
  // Of keys that the other has taken meanwhile, the batch is refused for good.
  if (!failure || bench.declaration.keyPolicy === 'refuse') return;
  if (failureChain(failure).some(({ retryable }) => retryable === true)) return;
  throw new Violation(
    `${what}: one of them failed without calling it worth another try (retryable: true): ${failureText(failure)}`,
  );
}

async function mustHaveLeftNothing(bench: Bench, rig: Rig, batch: readonly Message[], what: string): Promise<void> {
  const found = byToken(await w.stored(bench, rig));
  const kept = batch.filter((message) => found.has(w.token(message))).length;
  if (kept > 0) throw new Violation(`${what}: both failed, yet ${count(kept, 'messages')} of them are stored`);
}
