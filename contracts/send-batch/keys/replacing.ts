import { failureText, mustAgree, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { Snapshot } from '../../kernel/engine.ts';
import { type Bench, Violation } from '../../kernel/guard.ts';
import { isInstant } from '../../kernel/rows.ts';
import { tablesWritten } from '../../kernel/tables.ts';
import { failureOf, type StoredBy, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { fullyKeyed, hold } from './keyed.ts';

/**
 * For `replace`: messages that set every option are replaced by others that set none, all or one of them. In the end the
 * rows have to be those of single sends of the others: no value of a replaced message is left in them.
 */
export async function mustReplaceEveryField(bench: Bench, earlier: 'stored before' | 'in the same batch') {
  const rig = await bench.open();
  const replaced = replacedMessages(bench);
  const batch = otherMessages(bench, replaced);
  const isStored = earlier === 'stored before';
  // In another order, as no caller would repeat a batch that failed.
  if (isStored) await hold(bench, rig, replaced.toReversed());
  const written = await w.write(rig, isStored ? batch : [...replaced, ...batch]);
  const what = `messages that replace those ${earlier} under their keys`;
  const failure = failureOf(written);
  if (failure) throw new Violation(`a batch with ${what} failed: ${failureText(failure)}`);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  const apart = await storedOneByOne(bench, batch);
  const found = rows.map((row): StoredBy => ({ row, by: written }));
  const differences = await w.rowDifferences(bench, found, apart.rows);
  mustAgree(
    w,
    batch,
    differences.map((list) => list.filter(({ field }) => field in { dueAt: 0, expiresAt: 0 } || !isInstant(field))),
    what,
    'stored as single sends of them store them where their keys are free',
  );
  bench.record('rows compared with single sends', batch.length);
  const now = (await rig.lease.snapshot()).tables;
  for (const table of await tablesOfJobs(bench)) {
    if (now[table] === apart.tables[table]) continue;
    throw new Violation(
      `${what}: ${table}, where jobs are registered, has ${now[table]} rows; single sends of them, where their keys are ` +
        `free, leave ${apart.tables[table]}: of what is replaced no job is left`,
    );
  }
}

/** The tables that get rows for jobs, and for nothing else. */
async function tablesOfJobs(bench: Bench): Promise<string[]> {
  if (!bench.declaration.offers.includes('jobs')) return [];
  const [message] = messages(bench, 1, 'bare');
  const without = await tablesWritten(bench, w, [message!]);
  const withJob = await tablesWritten(bench, w, [w.using(bench, message!, 'jobs')!]);
  return Object.keys(withJob).filter((table) => without[table] === undefined);
}

function replacedMessages(bench: Bench): Message[] {
  const count = Math.min(3, Math.max(1, Math.floor((bench.declaration.limits.maxItems ?? 6) / 2)));
  return fullyKeyed(bench, count);
}

/**
 * Other messages under the same keys. They set different options, the first none; every second one has columns and a job,
 * too, where these are offered, of other values than the replaced message.
 */
function otherMessages(bench: Bench, sent: readonly Message[]): Message[] {
  const isPartOfTheKey =
    bench.declaration.offers.includes('destination') && !bench.declaration.keysEqual.includes('destination');
  const beside = fullyKeyed(bench, 2 * sent.length).slice(sent.length);
  return messages(bench, sent.length, 'mixed').map((message, slot): Message => {
    const { dedupeKey, destination } = sent[slot]!;
    const { columns, job } = slot % 2 === 1 ? beside[slot]! : {};
    return {
      ...message,
      dedupeKey: dedupeKey!,
      ...(isPartOfTheKey && { destination: destination! }),
      ...(columns && { columns }),
      ...(job !== undefined && { job }),
    };
  });
}

/** The rows of single sends, and how many rows each table has then. */
async function storedOneByOne(
  bench: Bench,
  sent: readonly Message[],
): Promise<{ rows: StoredBy[]; tables: Snapshot['tables'] }> {
  return premise('sending them one by one where their keys are free', async () => {
    const rig = await bench.open();
    const written: Written[] = [];
    for (const message of sent) {
      const single = await w.writeOne(rig, message);
      mustSucceed(w, [message], single, 'it');
      written.push(single);
    }
    const rows = await mustHaveStoredAll(bench, w, rig, sent, 'it');
    const { tables } = await rig.lease.snapshot();
    return { rows: rows.map((row, slot) => ({ row, by: written[slot]! })), tables };
  });
}
