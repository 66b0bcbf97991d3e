import fc from 'fast-check';
import { failureText, mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { keyed } from '../keys/keyed.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { mustNotShareId, mustNotTakeStoredId } from './taken.ts';

export const callerIdsAreKept: Guard = guard({
  id: 'send-batch/caller-ids-are-kept',
  statement:
    "The caller's own ids are stored and reported as they were given, in an unusual spelling and at any length that is accepted; one that is taken is an error or told as a duplicate, never a silent replacement or skip.",
  needs: ['callerIds'],
  proves: ['ids compared', 'unusual spellings', 'messages whose id was taken'],
  async check(bench) {
    const size = severalChunks(bench);
    await bench.case('usual-spelling', () => keepsIds(bench, idsOf(bench, size)));
    await bench.case('unusual-spelling', async () => {
      const ids = idsOf(bench, size).map((id, slot) => unusual(bench, id, slot));
      await keepsIds(bench, ids);
      bench.record('unusual spellings', ids.length);
    });
    await bench.case('single', async () => {
      const [id] = idsOf(bench, 1);
      await keepsIds(bench, [unusual(bench, id!, 0)], 'single');
    });
    await bench.case('some-of-a-batch', async () => {
      const ids = idsOf(bench, size);
      await keepsIds(
        bench,
        ids.map((id, slot) => (slot % 2 === 0 ? id : undefined)),
      );
    });
    if (bench.declaration.idForm === 'text') {
      const how = ', some of which differ by case, by a blank, by leading zeros or by normal form alone';
      await bench.case('hardly-different', () => keepsIds(bench, hardlyDifferent(bench), 'batch', how));
      await bench.case('long', () => keepsLongIds(bench));
    }
    const last = size - 1;
    for (const place of new Set([0, last, 'single'] as const)) {
      const name = place === 'single' ? place : `slot-${place}`;
      await bench.case(`taken-before-${name}`, () => mustNotTakeStoredId(bench, idsOf(bench, 1)[0]!, size, place));
    }
    for (const second of new Set([1, last])) {
      if (second > 0 && second <= last)
        await bench.case(`twice-0-and-${second}`, () => mustNotShareId(bench, idsOf(bench, 1)[0]!, size, 0, second));
    }
    if (!bench.declaration.offers.includes('dedupeKey')) return;
    await bench.case(`taken-before-slot-${last}-with-keys`, () =>
      mustNotTakeStoredId(bench, idsOf(bench, 1)[0]!, size, last, keyed),
    );
    if (last > 0) {
      await bench.case(`twice-0-and-${last}-with-keys`, () =>
        mustNotShareId(bench, idsOf(bench, 1)[0]!, size, 0, last, keyed),
      );
    }
  },
});

/** Ids of the declared form, in no order. */
function idsOf(bench: Bench, size: number): string[] {
  const uuids = fc.uniqueArray(fc.uuid({ version: 4 }), { minLength: size, maxLength: size });
  const ids = bench.draw(uuids);
  return bench.declaration.idForm === 'uuid' ? ids : ids.map((id, slot) => `order-${id.slice(0, 8)}-${slot}`);
}

/** The same id as nobody prints it: hexadecimal digits in capitals; of a text, capitals, blanks and leading zeros. */
function unusual(bench: Bench, id: string, slot: number): string {
  if (bench.declaration.idForm === 'uuid') return id.toUpperCase();
  const spellings = [`${id.toUpperCase()}`, ` ${id}`, `${id} `, `00${slot}${id.slice(5)}`, `\u00e9\u65e5 ${id}`];
  return spellings[slot % spellings.length]!;
}

/** Ids of one batch that are different texts, though somebody may take them for the same. */
function hardlyDifferent(bench: Bench): string[] {
  const [id, other] = idsOf(bench, 2) as [string, string];
  const number = bench.draw(fc.integer({ min: 1_000_000, max: 2_000_000_000 }));
  const composed = [`${other}-\u00e9`, `${other}-e\u0301`];
  const ids = [id, id.toUpperCase(), ` ${id}`, `${id} `, ...composed, `${number}`, `00${number}`];
  return ids.slice(0, bench.declaration.limits.maxItems);
}

/** Characters of long ids: beyond columns of 36, 64, 128 and 255. */
const lengths = [37, 65, 129, 256];

/** Who limits the length of an id refuses longer ones; what is accepted is kept, to its last character. */
async function keepsLongIds(bench: Bench): Promise<void> {
  const long = (length: number, last: string) => `${idsOf(bench, 1)[0]}-`.padEnd(length - 1, 'x') + last;
  const rig = await bench.open();
  const accepted: number[] = [];
  for (const length of lengths) {
    const [message] = messages(bench, 1);
    const refusal = failureOf(await w.write(rig, [{ ...message!, id: long(length, '1') }]));
    if (refusal) bench.record(`refused: an id of ${length} characters`, failureText(refusal));
    else accepted.push(length);
  }
  if (accepted.length === 0) return;
  const most = bench.declaration.limits.maxItems;
  const one = accepted.map((length) => long(length, '1'));
  await keepsIds(bench, one.slice(0, most), 'batch', ' of many characters');
  const two = one.flatMap((id) => [`${id.slice(0, -1)}2`, `${id.slice(0, -1)}3`]);
  await keepsIds(bench, two.slice(0, most), 'batch', ', which differ in the last of many characters alone');
}

async function keepsIds(
  bench: Bench,
  ids: readonly (string | undefined)[],
  path: 'batch' | 'single' = 'batch',
  how = '',
): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, ids.length).map((message, slot): Message => {
    const id = ids[slot];
    return id === undefined ? message : { ...message, id };
  });
  const written = path === 'batch' ? await w.write(rig, batch) : await w.writeOne(rig, batch[0]!);
  const what = `a ${path} with ids of the caller's own${how}`;
  mustSucceed(w, batch, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  mustBeKept(bench, batch, rows, written, what);
  bench.record('ids compared', ids.length);
}

function mustBeKept(
  bench: Bench,
  batch: readonly Message[],
  rows: readonly { id: string }[],
  written: Written,
  what: string,
): void {
  // A column of the type uuid has a spelling of its own; what counts there is the value.
  const value = (id: string) => (bench.declaration.idForm === 'uuid' ? id.toLowerCase() : id);
  const reportsIds = bench.declaration.givesUp.ids === undefined;
  const slots = batch.map((message, slot): SlotLine => {
    const stored = rows[slot]!.id;
    const outcome = written.outcomes![slot]!;
    const reported = 'stored' in outcome ? outcome.stored : null;
    const expected = message.id ?? stored;
    const kept = value(stored) === value(expected);
    const told = !reportsIds || (reported !== null && value(reported) === value(expected));
    return {
      slot,
      mark: kept && told ? 'ok' : 'changed',
      sent: message.id === undefined ? 'no id' : `id ${JSON.stringify(message.id)}`,
      expected: `id ${JSON.stringify(expected)}, stored and reported`,
      stored: `stored ${JSON.stringify(stored)}, reported ${JSON.stringify(reported)}`,
    };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  const { slot, expected, stored } = bad[0]!;
  throw new Violation(
    `${what}: ${bad.length} of ${count(batch.length, 'ids')} are not kept; first in slot ${slot}: expected ${expected}, found ${stored}`,
    { input: count(batch.length, 'messages'), slots },
  );
}
