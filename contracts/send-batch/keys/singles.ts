import fc from 'fast-check';
import { failureText, mustCount } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { failureOf, type StoredItem, type Written } from '../../kernel/writes.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { keyed, withOtherBodies } from './keyed.ts';

/** Keys that the messages of a generated batch share; the first two are taken before it. */
const keys = 4;

/** Which of the keys each message has, if any; and whether all messages under one key are equal. */
const batches = fc.record({
  chosen: fc.array(fc.option(fc.nat({ max: keys - 1 })), { minLength: 1, maxLength: 8 }),
  equal: fc.boolean(),
});

export const duplicatesEqualSingles: Guard = guard({
  id: 'send-batch/duplicates-equal-singles',
  statement: 'The outcomes and rows of a batch with taken keys and twins are those of as many single sends in a row.',
  needs: ['dedupeKey'],
  proves: ['messages compared', 'duplicates compared'],
  async check(bench) {
    await bench.case('taken-by-singles', () => compare(bench, [0, 2, 1, 3, null], true));
    await bench.property('generated', batches, ({ chosen, equal }) => compare(bench, chosen, equal));
  },
});

/** What became of one message: what was told, and the content of the row that was named. */
interface Came {
  kind: string;
  names: string | undefined;
}

/** Sends messages as one batch and, elsewhere, one by one, on top of the same taken keys. */
async function compare(bench: Bench, chosen: readonly (number | null)[], equal: boolean): Promise<void> {
  const pool = keyed(bench, keys);
  const others = withOtherBodies(
    bench,
    chosen.map((key) => pool[key ?? 0]!),
  );
  const batch = chosen.map((key, slot): Message => {
    if (key === null) return { body: others[slot]!.body };
    return equal ? structuredClone(pool[key]!) : others[slot]!;
  });
  const before = pool.slice(0, 2);

  const together = await bench.openEmpty();
  for (const message of before) await w.writeOne(together, message);
  const written = await w.write(together, batch);
  const apart = await bench.openEmpty();
  for (const message of before) await w.writeOne(apart, message);
  const singles: Written[] = [];
  for (const message of batch) singles.push(await w.writeOne(apart, message));

  const refused = singles.findIndex((single) => failureOf(single));
  bench.record('messages compared', batch.length);
  const duplicates = singles.filter((single) => failureOf(single) || saysDuplicate(single)).length;
  if (duplicates > 0) bench.record('duplicates compared', duplicates);
  if (refused >= 0) return mustFailAsWell(bench, batch, written, refused, failureOf(singles[refused]!)!.message);

  const failure = failureOf(written);
  if (failure)
    throw new Violation(`single sends are accepted, but as a batch they are refused: ${failureText(failure)}`);
  mustCount(w, batch, written, 'the batch');
  const rows = await w.stored(bench, together);
  const singleRows = await w.stored(bench, apart);
  const expected = singles.map(({ outcomes }) => came(outcomes![0]!, singleRows));
  const found = written.outcomes!.map((outcome) => came(outcome, rows));
  const slots = batch.map((message, slot): SlotLine => {
    const same = found[slot]!.kind === expected[slot]!.kind && found[slot]!.names === expected[slot]!.names;
    const sent = `${short(message.dedupeKey ?? 'no key')}: ${w.print(message)}`;
    return { slot, mark: same ? 'ok' : 'wrong', sent, expected: text(expected[slot]!), stored: text(found[slot]!) };
  });
  const bad = slots.find(({ mark }) => mark !== 'ok');
  const counterexample = { input: `${count(batch.length, 'messages')}, two keys taken before`, slots };
  if (bad) {
    throw new Violation(
      `slot ${bad.slot} of a batch is told as ${bad.stored}; sent one by one it is ${bad.expected}`,
      counterexample,
    );
  }
  const [inBatch, inSingles] = [contents(rows), contents(singleRows)];
  if (inBatch === inSingles) return;
  throw new Violation(
    `a batch leaves the rows ${inBatch}; sent one by one the messages leave ${inSingles}`,
    counterexample,
  );
}

/** What one single send of them refuses the batch has to refuse; what is left of it then is for other guards. */
function mustFailAsWell(bench: Bench, batch: readonly Message[], written: Written, slot: number, why: string): void {
  const atomic = bench.declaration.givesUp.atomic === undefined;
  const failed = atomic ? failureOf(written) !== undefined : 'failed' in (written.outcomes?.[slot] ?? { failed: true });
  if (failed) return;
  throw new Violation(
    `message ${slot} of ${count(batch.length, 'messages')} is refused as a single send (${why}), but accepted in a batch`,
  );
}

function saysDuplicate({ outcomes }: Written): boolean {
  return outcomes?.some((outcome) => 'duplicate' in outcome) ?? false;
}

function came(outcome: NonNullable<Written['outcomes']>[number], rows: readonly StoredItem[]): Came {
  const kind = 'stored' in outcome ? 'stored' : 'duplicate' in outcome ? 'duplicate' : 'failed';
  const id = 'stored' in outcome ? outcome.stored : 'duplicate' in outcome ? outcome.duplicate : null;
  if (kind !== 'duplicate' || id === null) return { kind, names: undefined };
  return { kind, names: rows.find((row) => row.id === id)?.token ?? `nothing of this batch (id ${id})` };
}

function text({ kind, names }: Came): string {
  return names === undefined ? kind : `${kind} of the row that holds ${names}`;
}

/** The rows as one text, whatever their order. */
function contents(rows: readonly StoredItem[]): string {
  return rows
    .map(({ token, fields }) => `${token} under ${fields.dedupeKey ?? 'no key'}`)
    .toSorted()
    .join(', ');
}
