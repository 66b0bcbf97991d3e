import fc from 'fast-check';
import { failureText, mustBeExact, mustFail, mustHaveStoredAll, mustSucceed } from '../kernel/checks.ts';
import type { SlotLine } from '../kernel/counterexample.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../kernel/guard.ts';
import { count, short } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import { failureOf, type StoredItem, type Written } from '../kernel/writes.ts';
import { type MetadataOption, messages, offeredOptions, optionValue } from './messages.ts';
import type { Message } from './port.ts';
import { rowFields, storedAlike, storedAs } from './rows.ts';
import { sendWrites as w } from './writes.ts';

export const metadataRoundTrips: Guard = guard({
  id: 'send-batch/metadata-round-trips',
  statement: 'Every offered option, set on every message with distinct ordinary values, is read back exact.',
  proves: ['messages compared', 'options on each message'],
  async check(bench) {
    const options = offeredOptions(bench);
    if (options.length === 0) throw new NotApplicable('backend', 'no metadata option is offered');
    const rig = await bench.open();
    const batch = messages(bench, severalChunks(bench));
    const written = await w.write(rig, batch);
    const what = `a batch that sets ${options.join(', ')} on every message`;
    mustSucceed(w, batch, written, what);
    const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
    mustBeExact(bench, w, batch, rows, written, what);
    bench.record('messages compared', rows.length);
    bench.record('options on each message', options.length);
  },
});

export const mixedShapesKeepTheirColumns: Guard = guard({
  id: 'send-batch/mixed-shapes-keep-their-columns',
  statement:
    'Messages with different options each keep their own; a missing option is stored as a single send without it stores it.',
  proves: ['messages compared', 'shapes in a batch'],
  async check(bench) {
    if (offeredOptions(bench).length === 0) throw new NotApplicable('backend', 'no metadata option is offered');
    const absent = await storedWithoutOptions(bench);
    await bench.case('several-chunks', () => mixedBatch(bench, messages(bench, severalChunks(bench), 'mixed'), absent));
    await bench.property('generated', shapes(bench), async (selections) => {
      await mixedBatch(bench, withShapes(bench, selections), absent);
    });
  },
});

/** A selection of options, in an order of keys, for each of a few messages. */
function shapes(bench: Bench): fc.Arbitrary<MetadataOption[][]> {
  return fc.array(fc.shuffledSubarray(offeredOptions(bench)), { minLength: 2, maxLength: 8 });
}

function withShapes(bench: Bench, selections: MetadataOption[][]): Message[] {
  const bodies = messages(bench, selections.length, 'bare');
  return selections.map((options, slot) => {
    const message: Message = { ...bodies[slot]! };
    // An odd step keeps the values of neighbours apart and out of order.
    for (const option of options) Object.assign(message, { [option]: optionValue(option, slot, (slot * 5 + 3) % 101) });
    return message;
  });
}

/** What a single send stores of a message that sets no option. */
interface Absent {
  row: StoredItem;
  written: Written;
}

async function storedWithoutOptions(bench: Bench): Promise<Absent> {
  const rig = await bench.open();
  const plain = messages(bench, 1, 'bare');
  const written = await w.writeOne(rig, plain[0]!);
  mustSucceed(w, plain, written, 'a single send that sets no option');
  const [row] = await mustHaveStoredAll(bench, w, rig, plain, 'a single send that sets no option');
  return { row: row!, written };
}

async function mixedBatch(bench: Bench, batch: Message[], absent: Absent): Promise<void> {
  const rig = await bench.openEmpty();
  const written = await w.write(rig, batch);
  const what = 'a batch of messages with different options';
  mustSucceed(w, batch, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  mustBeExact(bench, w, batch, rows, written, what);
  mustBeAbsent(bench, batch, rows, written, absent);
  bench.record('messages compared', batch.length);
  bench.record('shapes in a batch', new Set(batch.map((m) => Object.keys(m).join())).size);
}

function mustBeAbsent(bench: Bench, batch: Message[], rows: StoredItem[], written: Written, absent: Absent): void {
  for (const [slot, message] of batch.entries()) {
    for (const option of offeredOptions(bench)) {
      if (message[option] !== undefined) continue;
      const field = storedAs[option];
      if (storedAlike(field, rows[slot]!, written, absent.row, absent.written, bench.declaration.timeResolution))
        continue;
      throw new Violation(
        `message ${slot} sets no ${option}: a single send stores ${short(absent.row.fields[field])}, the batch stored ${short(rows[slot]!.fields[field])}`,
      );
    }
  }
}

export const batchEqualsSingles: Guard = guard({
  id: 'send-batch/batch-equals-singles',
  statement: 'The rows, the generated defaults and the refusals of a batch are those of as many single sends.',
  proves: ['rows compared', 'columns compared', 'refusals compared'],
  async check(bench) {
    const trial = await bench.open();
    if (!trial.subject.members.includes('send')) throw new NotApplicable('backend', 'it has no single path');
    await bench.case('all-options', () => compareWithSingles(bench, messages(bench, 12)));
    await bench.case('no-options', () => compareWithSingles(bench, messages(bench, 12, 'bare')));
    await bench.property('generated', shapes(bench), async (selections) => {
      await compareWithSingles(bench, withShapes(bench, selections));
    });
    await bench.case('refusals', () => sameRefusals(bench));
  },
});

async function compareWithSingles(bench: Bench, batch: Message[]): Promise<void> {
  const together = await bench.openEmpty();
  const written = await w.write(together, batch);
  mustSucceed(w, batch, written, 'the batch');
  const batchRows = await mustHaveStoredAll(bench, w, together, batch, 'the batch');

  const apart = await bench.openEmpty();
  const singles: Written[] = [];
  for (const message of batch) {
    const single = await w.writeOne(apart, message);
    mustSucceed(w, [message], single, 'a single send');
    singles.push(single);
  }
  const singleRows = await mustHaveStoredAll(bench, w, apart, batch, 'single sends');

  const slots = batch.map((message, slot): SlotLine => {
    const [one, other] = [batchRows[slot]!, singleRows[slot]!];
    const differ = rowFields(one, other).filter(
      (f) => !storedAlike(f, one, written, other, singles[slot]!, bench.declaration.timeResolution),
    );
    bench.record('columns compared', rowFields(one, other).length);
    const show = (row: StoredItem) => differ.map((f) => `${f} = ${short(row.fields[f], 40)}`).join('; ') || 'alike';
    return {
      slot,
      mark: differ.length ? 'changed' : 'ok',
      sent: w.print(message),
      expected: show(other),
      stored: show(one),
    };
  });
  bench.record('rows compared', slots.length);
  const bad = slots.filter((s) => s.mark !== 'ok');
  if (bad.length === 0) return;
  throw new Violation(
    `${bad.length} of ${count(batch.length, 'messages')} are stored otherwise than by single sends; first in slot ${bad[0]!.slot}: single ${bad[0]!.expected}, batch ${bad[0]!.stored}`,
    { input: `${count(batch.length, 'messages')} as one batch and one by one`, slots },
  );
}

/** What the single path refuses the batch refuses, and the other way round. */
async function sameRefusals(bench: Bench): Promise<void> {
  for (const [name, spoil] of Object.entries(suspects(bench))) {
    const [message, other] = messages(bench, 2, 'bare');
    const spoiled = spoil(message!);
    if (!spoiled) continue;
    const alone = await bench.open();
    const single = failureOf(await w.writeOne(alone, spoiled));
    const rig = await bench.open();
    const batch = [other!, spoiled];
    const written = await w.write(rig, batch);
    const refusal = failureOf(written);
    bench.record('refusals compared', 1);
    if (single && !refusal)
      throw new Violation(
        `a message with ${name} is refused by a single send (${failureText(single)}), but accepted in a batch`,
      );
    if (!single && refusal)
      throw new Violation(
        `a message with ${name} is accepted by a single send, but refused in a batch: ${failureText(refusal)}`,
      );
    if (refusal) mustFail(w, batch, written, `a batch with ${name}`);
  }
}

/** Messages that a backend may or may not take. */
function suspects(bench: Bench): Record<string, (message: Message) => Message | undefined> {
  return {
    'an unreadable body': (m) => w.unreadable(m),
    'a scheduled job': (m) => w.using(bench, m, 'jobs'),
    'a dedupe key': (m) =>
      bench.declaration.offers.includes('dedupeKey') ? undefined : w.using(bench, m, 'dedupeKey'),
    'an id of its own': (m) =>
      bench.declaration.offers.includes('callerIds') ? undefined : w.using(bench, m, 'callerIds'),
    'a delay of text': (m) => ({ ...m, delay: 'soon' as unknown as number }),
    'a priority of NaN': (m) => ({ ...m, priority: Number.NaN }),
  };
}
