import type { KeyDifference } from '../../kernel/capabilities.ts';
import { byToken, failureText, mustAgree, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf } from '../../kernel/writes.ts';
import { destinationsOf, messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { type Held, hold, keyed, mustTakeSeveral } from './keyed.ts';

/** In words, how the two keys of a pair differ. */
const inWords = {
  case: 'by case',
  trailingSpace: 'by a trailing space',
  normalForm: 'by normal form (one composed, one decomposed)',
  destination: 'by their destinations alone',
  leadingSpace: 'by a leading space',
  leadingZeros: 'by leading zeros',
  lastOf65: 'in the last of their 65 characters alone',
  lastOf256: 'in the last of their 256 characters alone',
} as const satisfies Record<KeyDifference, string> & Record<string, string>;

/** Those that can be declared to make no difference, and others, which always make two keys. */
type Difference = keyof typeof inWords;

const differences = Object.keys(inWords) as Difference[];

export const distinctKeysStayDistinct: Guard = guard({
  id: 'send-batch/distinct-keys-stay-distinct',
  statement:
    'Keys that differ by case, by a blank, by leading zeros, by normal form, in their last character or by their destinations alone are different keys, or, where that is declared, one key.',
  needs: ['dedupeKey'],
  proves: ['pairs of keys compared'],
  async check(bench) {
    mustTakeSeveral(bench);
    for (const difference of differences) {
      const reason = whyNone(bench, difference);
      bench.leaveOut(difference, reason);
      if (reason !== undefined) continue;
      const isEqual = bench.declaration.keysEqual.some((equal) => equal === difference);
      await bench.case(difference, () =>
        isEqual ? mustBeOneKey(bench, difference) : mustStayApart(bench, difference),
      );
    }
  },
});

/** Why no two keys can differ in this way. */
function whyNone(bench: Bench, difference: Difference): string | undefined {
  if (difference !== 'destination') return undefined;
  if (!bench.declaration.offers.includes('destination')) return 'destination is not offered';
  return destinationsOf(bench).length > 1 ? undefined : 'there is one destination only';
}

async function mustStayApart(bench: Bench, difference: Difference): Promise<void> {
  const rig = await bench.open();
  if (await areRefusedAlone(bench, rig, difference)) return;
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
  for (const again of [one.toReversed(), two]) await mustNameTheirOwn(bench, rig, held, again, difference);
  bench.record('pairs of keys compared', 2);
}

/** Sends messages again: what is told as a duplicate is that of the row with its own key. What is not is for other guards. */
async function mustNameTheirOwn(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  again: readonly Message[],
  difference: Difference,
): Promise<void> {
  const { outcomes } = await w.write(rig, again);
  if (bench.declaration.givesUp.ids !== undefined || outcomes?.length !== again.length) return;
  const slots = again.flatMap((message, slot): SlotLine[] => {
    const outcome = outcomes[slot]!;
    if (!('duplicate' in outcome) || outcome.duplicate === null) return [];
    const { id } = held.find((row) => w.token(row.message) === w.token(message))!;
    const mark = outcome.duplicate === id ? 'ok' : 'wrong';
    return [{ slot, mark, sent: w.print(message), expected: `duplicate of row ${id}`, stored: short(outcome) }];
  });
  const bad = slots.find(({ mark }) => mark !== 'ok');
  if (bad === undefined) return;
  const what = `sending again messages whose keys differ ${inWords[difference]}`;
  throw new Violation(`${what}: that in slot ${bad.slot} is told as ${bad.stored}; expected ${bad.expected}`, {
    input: `${again.length} messages that were sent before`,
    slots,
  });
}

/** Fails the guard where both messages of a pair are stored. How the second is told is for other guards. */
async function mustBeOneKey(bench: Bench, difference: Difference): Promise<void> {
  const rig = await bench.open();
  if (await areRefusedAlone(bench, rig, difference)) return;
  const together = pair(bench, difference);
  await w.write(rig, together);
  const apart = pair(bench, difference);
  await hold(bench, rig, [apart[0]]);
  await w.write(rig, [apart[1]]);
  const found = byToken(await w.stored(bench, rig));
  for (const messages of [together, apart]) {
    if (!messages.every((message) => found.has(w.token(message)))) continue;
    const how = messages === together ? 'in one batch' : 'in two batches';
    const keys = messages.map(({ dedupeKey, destination }) => short({ dedupeKey, destination })).join(' and ');
    throw new Violation(
      `of two messages, ${how}, whose keys differ ${inWords[difference]} (${keys}) both are stored, ` +
        `although keysEqual declares that ${difference} makes no difference`,
    );
  }
  bench.record('pairs of keys compared', 2);
}

/** Who takes no such keys at all has mixed up none. */
async function areRefusedAlone(bench: Bench, rig: Rig, difference: Difference): Promise<boolean> {
  for (const message of ofTwoPairs(bench, difference)) {
    const refusal = failureOf(await w.write(rig, [message]));
    if (!refusal) continue;
    bench.record(`refused alone (${difference})`, failureText(refusal));
    return true;
  }
  return false;
}

/** Both kinds of keys, but of two pairs, so that they are different keys whatever is declared. */
function ofTwoPairs(bench: Bench, difference: Difference): [Message, Message] {
  return [pair(bench, difference)[0], pair(bench, difference)[1]];
}

/** Two messages whose keys differ in one way alone. */
function pair(bench: Bench, difference: Difference): [Message, Message] {
  const [first, second] = keyed(bench, 2) as [Message, Message];
  const key = first.dedupeKey!;
  // Of its own for every pair: a number that is drawn may be drawn twice.
  const number = 1_000_000 + Number(bench.token().split('x').at(-1));
  const long = (length: number) => `${key}-${'k'.repeat(length)}`.slice(0, length - 1);
  const keys: Record<Difference, [string, string]> = {
    case: [key, key.toUpperCase()],
    trailingSpace: [key, `${key} `],
    normalForm: [`${key}-é`.normalize('NFC'), `${key}-é`.normalize('NFD')],
    destination: [key, key],
    leadingSpace: [key, ` ${key}`],
    leadingZeros: [`${number}`, `00${number}`],
    lastOf65: [`${long(65)}1`, `${long(65)}2`],
    lastOf256: [`${long(256)}1`, `${long(256)}2`],
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
    await bench.case('every-message-has-one', async () => mustKeepKeys(bench, await bench.open(), keyed(bench, size)));
    await bench.case('some-have-none', async () => {
      const bare = messages(bench, size, 'bare');
      const some = keyed(bench, size).map((message, slot) => (slot % 3 === 0 ? bare[slot]! : message));
      await mustKeepKeys(bench, await bench.open(), some);
    });
    for (const difference of differences) {
      if (difference === 'destination') continue;
      await bench.case(`spelled-otherwise-${difference}`, async () => {
        const rig = await bench.open();
        if (await areRefusedAlone(bench, rig, difference)) return;
        for (const message of ofTwoPairs(bench, difference)) await mustKeepKeys(bench, rig, [message]);
      });
    }
  },
});

async function mustKeepKeys(bench: Bench, rig: Rig, batch: readonly Message[]): Promise<void> {
  const written = await w.write(rig, batch);
  const what = 'a batch whose keys are free';
  const rows = await premise(what, async () => {
    mustSucceed(w, batch, written, 'it');
    return mustHaveStoredAll(bench, w, rig, batch, 'it');
  });
  const changed = batch.map(({ dedupeKey }, slot) => {
    const found = rows[slot]!.fields.dedupeKey ?? undefined;
    return found === dedupeKey ? [] : [{ field: 'dedupeKey', expected: dedupeKey, found }];
  });
  mustAgree(w, batch, changed, what, 'stored under their own key');
  const keys = batch.filter(({ dedupeKey }) => dedupeKey !== undefined).length;
  if (keys > 0) bench.record('keys compared', keys);
  if (keys < batch.length) bench.record('messages without a key', batch.length - keys);
}
