import { byToken, mustAgree, mustHaveStoredAll, mustSucceed } from '../kernel/checks.ts';
import { type Bench, type CallOptions, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import type { StoredItem, Writes, Written } from '../kernel/writes.ts';

export function inputsAreNotTouched<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/inputs-are-not-touched`,
    statement:
      "The caller's objects may be frozen or shared and stay as they were; changing them after the call has settled changes nothing stored.",
    proves: ['batches with watched inputs'],
    async check(bench) {
      await bench.case('left-as-they-were', () => storesWhatWasSent(bench, w, w.items(bench, 7), { compare: true }));
      await bench.case('frozen', () => storesWhatWasSent(bench, w, w.items(bench, 7), { compare: true, freeze: true }));
      const shared = w.sharing(w.items(bench, 7));
      if (shared) {
        await bench.case('one-options-object-for-all', () => storesWhatWasSent(bench, w, shared, { compare: true }));
        await bench.case('one-frozen-options-object-for-all', () =>
          storesWhatWasSent(bench, w, shared, { compare: true, freeze: true }),
        );
      }
      await bench.case('changed-after-settling', () =>
        storesWhatWasSent(bench, w, w.items(bench, 7), { scramble: 'settled' }),
      );
    },
  });
}

export function inputsMayChangeInFlight<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/inputs-may-change-in-flight`,
    level: 'should',
    statement: "Changing the caller's objects while the call is in flight changes nothing stored.",
    proves: ['batches with watched inputs'],
    check: (bench) =>
      bench.case('changed-in-flight', () => storesWhatWasSent(bench, w, w.items(bench, 7), { scramble: 'inFlight' })),
  });
}

/** Writes the items with the options, and compares what is stored with what a plain write of them stores. */
async function storesWhatWasSent<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  options: CallOptions,
): Promise<void> {
  const plain = await bench.open();
  const plainWritten = await w.write(plain, items);
  mustSucceed(w, items, plainWritten, 'a batch');
  const plainRows = await mustHaveStoredAll(bench, w, plain, items, 'a batch');

  const rig = await bench.open();
  const written = await w.write(rig, items, options);
  const what = wordsFor(options);
  mustSucceed(w, items, written, what);
  if (written.touched) throw new Violation(`the call changed the caller's input: ${written.touched}`);
  // The next call must not bring to light what the first one only kept a reference to.
  const later = w.items(bench, 2);
  mustSucceed(w, later, await w.write(rig, later), 'a batch after it');
  const rows = await rowsOf(bench, w, rig, items, written, what);
  const differences = await w.rowDifferences(
    bench,
    rows.map((row) => ({ row, by: written })),
    plainRows.map((row) => ({ row, by: plainWritten })),
  );
  mustAgree(w, items, differences, what, 'stored as by a plain write');
  bench.record('batches with watched inputs', 1);
}

/**
 * The stored rows by slot. What was read too late may hold no token any more, so that only the id that was told leads
 * to its row: what is there instead says more than that the item is missing.
 */
async function rowsOf<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  written: Written,
  what: string,
): Promise<StoredItem[]> {
  const stored = await w.stored(bench, rig);
  const byItem = byToken(stored);
  const byId = new Map(stored.map((row) => [row.id, row]));
  const rows = items.flatMap((item, slot) => {
    const own = byItem.get(w.token(item)) ?? [];
    const outcome = written.outcomes?.[slot];
    const told = outcome && 'stored' in outcome ? byId.get(outcome.stored ?? '') : undefined;
    return own.length === 1 ? own : own.length === 0 && told ? [told] : [];
  });
  return rows.length === items.length ? rows : mustHaveStoredAll(bench, w, rig, items, what);
}

function wordsFor(options: CallOptions): string {
  if (options.freeze) return 'a batch of frozen items';
  if (options.scramble === 'settled')
    return "a batch whose items were overwritten (texts by 'scrambled') after it had settled";
  if (options.scramble === 'inFlight')
    return "a batch whose items were overwritten (texts by 'scrambled') while it was in flight";
  return 'a batch whose items were watched';
}
