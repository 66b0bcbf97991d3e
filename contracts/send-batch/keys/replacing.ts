import { failureText, mustAgree, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, Violation } from '../../kernel/guard.ts';
import { isInstant } from '../../kernel/rows.ts';
import { failureOf, type StoredBy, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { hold, keyed } from './keyed.ts';

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
  const found = rows.map((row): StoredBy => ({ row, by: written }));
  const differences = await w.rowDifferences(bench, found, await storedOneByOne(bench, batch));
  mustAgree(
    w,
    batch,
    differences.map((list) => list.filter(({ field }) => field in { dueAt: 0, expiresAt: 0 } || !isInstant(field))),
    what,
    'stored as single sends of them store them where their keys are free',
  );
  bench.record('rows compared with single sends', batch.length);
}

function replacedMessages(bench: Bench): Message[] {
  const count = Math.min(3, Math.max(1, Math.floor((bench.declaration.limits.maxItems ?? 6) / 2)));
  const keys = keyed(bench, count);
  return messages(bench, count).map((message, slot) => ({ ...message, dedupeKey: keys[slot]!.dedupeKey! }));
}

/** Other messages under the same keys. */
function otherMessages(bench: Bench, sent: readonly Message[]): Message[] {
  const isPartOfTheKey =
    bench.declaration.offers.includes('destination') && !bench.declaration.keysEqual.includes('destination');
  return messages(bench, sent.length, 'mixed').map((message, slot) => {
    const { dedupeKey, destination } = sent[slot]!;
    return { ...message, dedupeKey: dedupeKey!, ...(isPartOfTheKey && { destination: destination! }) };
  });
}

async function storedOneByOne(bench: Bench, sent: readonly Message[]): Promise<StoredBy[]> {
  return premise('sending them one by one where their keys are free', async () => {
    const rig = await bench.open();
    const written: Written[] = [];
    for (const message of sent) {
      const single = await w.writeOne(rig, message);
      mustSucceed(w, [message], single, 'it');
      written.push(single);
    }
    const rows = await mustHaveStoredAll(bench, w, rig, sent, 'it');
    return rows.map((row, slot) => ({ row, by: written[slot]! }));
  });
}
