import { type KeyDifference, keyDifferences } from '../../kernel/capabilities.ts';
import { failureText, mustAgree, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard } from '../../kernel/guard.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf } from '../../kernel/writes.ts';
import { destinationsOf, messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { type Held, hold, keyed, mustTakeSeveral } from './keyed.ts';
import { goesByThePolicy } from './policy.ts';

/** In words, how the two keys of a pair differ. */
const inWords: Record<KeyDifference, string> = {
  case: 'by case',
  trailingSpace: 'by a trailing space',
  normalForm: 'by normal form (one composed, one decomposed)',
  destination: 'by their destinations alone',
};

export const distinctKeysStayDistinct: Guard = guard({
  id: 'send-batch/distinct-keys-stay-distinct',
  statement:
    'Keys that differ by case, by a trailing space, by normal form or by their destinations alone are different keys, or, where that is declared, one key.',
  needs: ['dedupeKey'],
  proves: ['pairs of keys compared'],
  async check(bench) {
    mustTakeSeveral(bench);
    const reasons = keyDifferences.map((difference) => whyNone(bench, difference));
    for (const [i, difference] of keyDifferences.entries()) {
      bench.leaveOut(difference, reasons[i]);
      if (reasons[i] !== undefined) continue;
      const isEqual = bench.declaration.keysEqual.includes(difference);
      await bench.case(difference, () =>
        isEqual ? mustBeOneKey(bench, difference) : mustStayApart(bench, difference),
      );
    }
  },
});

/** Why no two keys can differ in this way. */
function whyNone(bench: Bench, difference: KeyDifference): string | undefined {
  if (difference !== 'destination') return undefined;
  if (!bench.declaration.offers.includes('destination')) return 'destination is not offered';
  return destinationsOf(bench).length > 1 ? undefined : 'there is one destination only';
}

async function mustStayApart(bench: Bench, difference: KeyDifference): Promise<void> {
  if (await areRefusedAlone(bench, difference)) return;
  const rig = await bench.open();
  const one = pair(bench, difference);
  const two = pair(bench, difference);
  const held: Held[] = [];
  for (const batch of [one, [two[0]], [two[1]]]) {
    const how = batch.length > 1 ? 'in one batch' : 'in two batches';
    const what = `sending two messages whose keys differ ${inWords[difference]}, ${how}`;
    mustSucceed(w, batch, await w.write(rig, batch), what);
    const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
    held.push(...batch.map((message, slot) => ({ message, id: rows[slot]!.id })));
  }
  // Each is a duplicate of the row with its own key, and not of the other's.
  const what = `sending again messages whose keys differ ${inWords[difference]}`;
  for (const again of [one.toReversed(), two]) await goesByThePolicy(bench, rig, held, again, what);
  bench.record('pairs of keys compared', 2);
}

async function mustBeOneKey(bench: Bench, difference: KeyDifference): Promise<void> {
  if (await areRefusedAlone(bench, difference)) return;
  const rig = await bench.open();
  const what = `two messages whose keys differ ${inWords[difference]}, which is declared to make no difference`;
  await goesByThePolicy(bench, rig, [], pair(bench, difference), `a batch of ${what}`, { otherBodies: true });
  const [first, second] = pair(bench, difference);
  const held = await hold(bench, rig, [first]);
  await goesByThePolicy(bench, rig, held, [second], `the second of ${what}`, { otherBodies: true });
  bench.record('pairs of keys compared', 2);
}

/** Who takes no such keys at all has mixed up none. */
async function areRefusedAlone(bench: Bench, difference: KeyDifference): Promise<boolean> {
  for (const message of pair(bench, difference)) {
    const refusal = failureOf(await w.write(await bench.open(), [message]));
    if (!refusal) continue;
    bench.record(`refused alone (${difference})`, failureText(refusal));
    return true;
  }
  return false;
}

/** Two messages whose keys differ in one way alone. */
function pair(bench: Bench, difference: KeyDifference): [Message, Message] {
  const [first, second] = keyed(bench, 2) as [Message, Message];
  const key = first.dedupeKey!;
  const keys: Record<KeyDifference, [string, string]> = {
    case: [key, key.toUpperCase()],
    trailingSpace: [key, `${key} `],
    normalForm: [`${key}-é`.normalize('NFC'), `${key}-é`.normalize('NFD')],
    destination: [key, key],
  };
  const [left, right] = keys[difference];
  if (difference !== 'destination')
    return [
      { ...first, dedupeKey: left },
      { ...second, dedupeKey: right },
    ];
  const [here, there] = destinationsOf(bench);
  return [
    { ...first, destination: here!, dedupeKey: left },
    { ...second, destination: there!, dedupeKey: right },
  ];
}

export const keysAreKept: Guard = guard({
  id: 'send-batch/keys-are-kept',
  statement: 'The key that is stored with a message is its own; a message without one is stored without.',
  needs: ['dedupeKey'],
  proves: ['keys compared', 'messages without a key'],
  async check(bench) {
    const size = severalChunks(bench);
    await bench.case('every-message-has-one', () => mustKeepKeys(bench, keyed(bench, size)));
    await bench.case('some-have-none', async () => {
      const bare = messages(bench, size, 'bare');
      const some = keyed(bench, size).map((message, slot) => (slot % 3 === 0 ? bare[slot]! : message));
      await mustKeepKeys(bench, some);
    });
    for (const difference of keyDifferences) {
      if (difference === 'destination') continue;
      await bench.case(`spelled-otherwise-${difference}`, async () => {
        if (await areRefusedAlone(bench, difference)) return;
        for (const message of pair(bench, difference)) await mustKeepKeys(bench, [message]);
      });
    }
  },
});

async function mustKeepKeys(bench: Bench, batch: readonly Message[]): Promise<void> {
  const rig = await bench.open();
  const written = await w.write(rig, batch);
  const what = 'a batch whose keys are free';
  const rows = await premise(what, async () => {
    mustSucceed(w, batch, written, 'it');
    return mustHaveStoredAll(bench, w, rig, batch, 'it');
  });
  const differences = batch.map(({ dedupeKey }, slot) => {
    const found = rows[slot]!.fields.dedupeKey ?? undefined;
    return found === dedupeKey ? [] : [{ field: 'dedupeKey', expected: dedupeKey, found }];
  });
  mustAgree(w, batch, differences, what, 'stored under their own key');
  const keys = batch.filter(({ dedupeKey }) => dedupeKey !== undefined).length;
  if (keys > 0) bench.record('keys compared', keys);
  if (keys < batch.length) bench.record('messages without a key', batch.length - keys);
}
