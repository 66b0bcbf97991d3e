import fc from 'fast-check';
import type { MetadataOption } from '../../kernel/capabilities.ts';
import {
  failureText,
  mustAgree,
  mustBeExact,
  mustFail,
  mustHaveStoredAll,
  mustSucceed,
  premise,
} from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages, offeredOptions, optionValue } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { unusualMessages, unusualValuesAreKept } from './unusual.ts';

export const metadataRoundTrips: Guard = guard({
  id: 'send-batch/metadata-round-trips',
  statement:
    'Every offered option, set on every message with distinct ordinary values, is read back exact; unusual values are, too, or are refused.',
  proves: ['messages compared', 'options on each message'],
  async check(bench) {
    const options = offeredOptions(bench);
    const columns = bench.declaration.offers.includes('columns');
    if (options.length === 0 && !columns) throw new NotApplicable('backend', 'no metadata option is offered');
    const roundTrip = async (batch: Message[], what: string) => {
      const rig = await bench.open();
      const written = await w.write(rig, batch);
      mustSucceed(w, batch, written, what);
      const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
      mustBeExact(bench, w, batch, rows, written, what);
      bench.record('messages compared', rows.length);
    };
    const all = `a batch that sets ${options.join(', ')} on every message`;
    await bench.case('every-option', () => roundTrip(messages(bench, severalChunks(bench)), all));
    await bench.case('text-beyond-ascii', () =>
      roundTrip(messages(bench, 12).map(beyondAscii), 'a batch whose options hold text beyond ASCII'),
    );
    if (columns) {
      const withColumns = messages(bench, severalChunks(bench)).map(
        (message, slot): Message => ({ ...message, columns: { tenant: `tenant-${(slot * 7) % 1009}` } }),
      );
      await bench.case('user-columns', () => roundTrip(withColumns, "a batch that sets a column of the user's own"));
    }
    const unusual = unusualMessages(bench);
    if (unusual.length > 0) await bench.case('unusual-values', () => unusualValuesAreKept(bench, unusual));
    bench.record('options on each message', options.length + (columns ? 1 : 0));
  },
});

/** The message with its free texts in other scripts; names of destinations stay as they are. */
function beyondAscii(message: Message): Message {
  const changed = { ...message };
  if (changed.route !== undefined) changed.route += ' é 日本';
  if (changed.correlationId !== undefined) changed.correlationId += ' ß \u{1f600}';
  if (changed.headers !== undefined) changed.headers = { ...changed.headers, 'x-second': 'ü 日本 \u{1f600}' };
  return changed;
}

export const mixedShapesKeepTheirColumns: Guard = guard({
  id: 'send-batch/mixed-shapes-keep-their-columns',
  statement:
    'Messages with different options each keep their own; a missing option is stored as a single send without it stores it.',
  proves: ['messages compared', 'shapes in a batch'],
  async check(bench) {
    const columns = bench.declaration.offers.includes('columns');
    if (offeredOptions(bench).length === 0 && !columns)
      throw new NotApplicable('backend', 'no metadata option is offered');
    const compare = async (batch: Message[]) => {
      await compareWithSingles(bench, batch);
      bench.record('messages compared', batch.length);
      bench.record('shapes in a batch', new Set(batch.map((m) => Object.keys(m).join())).size);
    };
    await premise('a batch without options, compared with single sends,', () =>
      compareWithSingles(bench, messages(bench, 4, 'bare')),
    );
    await bench.case('several-chunks', () => compare(messages(bench, severalChunks(bench), 'mixed')));
    if (columns) await bench.case('user-columns', () => compare(everyThirdWithColumns(bench)));
    const selection = fc.shuffledSubarray(offeredOptions(bench));
    await bench.property('generated', fc.array(selection, { minLength: 2, maxLength: 8 }), (selections) =>
      compare(withOptions(bench, selections)),
    );
  },
});

function everyThirdWithColumns(bench: Bench): Message[] {
  return messages(bench, 12, 'bare').map((message, slot) =>
    slot % 3 === 0 ? { ...message, columns: { tenant: `tenant-${slot}` } } : message,
  );
}

/** One message for each selection of options, which it sets in that order. */
function withOptions(bench: Bench, selections: MetadataOption[][]): Message[] {
  const bodies = messages(bench, selections.length, 'bare');
  return selections.map((options, slot) => {
    const message: Message = { ...bodies[slot]! };
    // An odd step keeps the values of neighbours apart and out of order.
    for (const option of options)
      Object.assign(message, { [option]: optionValue(bench, option, slot, (slot * 5 + 3) % 101) });
    return message;
  });
}

export const batchEqualsSingles: Guard = guard({
  id: 'send-batch/batch-equals-singles',
  statement: 'The rows, the generated defaults and the refusals of a batch are those of as many single sends.',
  proves: ['messages compared', 'refusals compared'],
  async check(bench) {
    const trial = await bench.open();
    if (!trial.subject.members.includes('send')) throw new NotApplicable('backend', 'it has no single path');
    const compare = async (batch: Message[]) => {
      await compareWithSingles(bench, batch);
      bench.record('messages compared', batch.length);
    };
    await bench.case('all-options', () => compare(messages(bench, 12)));
    await bench.case('no-options', () => compare(messages(bench, 12, 'bare')));
    await bench.case('refusals', () => sameRefusals(bench));
    // All messages of a batch set the same options: what comes of different ones is another guard's rule.
    const alike = fc.tuple(fc.shuffledSubarray(offeredOptions(bench)), fc.integer({ min: 1, max: 8 }));
    await bench.property('generated', alike, ([options, size]) =>
      compare(
        withOptions(
          bench,
          Array.from({ length: size }, () => options),
        ),
      ),
    );
  },
});

/** Sends the messages as a batch and, on another lease, one by one (as batches of one, without a single path). */
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
  const differences = await w.rowDifferences(
    bench,
    batchRows.map((row) => ({ row, by: written })),
    singleRows.map((row, slot) => ({ row, by: singles[slot]! })),
  );
  mustAgree(w, batch, differences, 'as a batch', 'stored as by single sends');
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
    if (refusal && bench.declaration.givesUp.atomic === undefined) mustFail(w, batch, written, `a batch with ${name}`);
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
