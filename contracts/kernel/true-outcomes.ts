import { about, byToken, failureText, mustCount, mustKnow, type Recorded, saysUnknown } from './checks.ts';
import type { SlotLine } from './counterexample.ts';
import { type Bench, type Rig, Violation } from './guard.ts';
import type { Outcome } from './outcome.ts';
import { count, short } from './print.ts';
import { claimedIds, failureOf, type Writes, type Written } from './writes.ts';

/** How many of a batch's items are stored, and what its call said of them. */
export interface Came {
  stored: number;
  /** The call failed, or some of its outcomes did. */
  failed: boolean;
}

/**
 * Fails the guard unless the items are stored as the outcomes say: once where they say stored, not at all where they
 * say failed, and, where an answer was lost, either where they say unknown. With `atomic` all of them are stored or none.
 */
export async function mustBeTrue<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  written: Written,
  what: string,
  recorded: Recorded = {},
): Promise<Came> {
  const failure = failureOf(written);
  mustKnow(written, what, recorded);
  const atomic = bench.declaration.givesUp.atomic === undefined;
  // How often the failure of a whole batch is told is for another guard.
  if (!failure || (!atomic && !written.threw)) mustCount(w, items, written, what);
  const rows = byToken(await w.stored(bench, rig));
  const found = items.map((item) => rows.get(w.token(item)) ?? []);
  const stored = found.filter((list) => list.length > 0).length;
  const slots = items.map((item, slot): SlotLine => {
    const { told, least, most } = expectation(written, written.outcomes?.[slot], atomic);
    const n = found[slot]!.length;
    const mark = n > most ? (most === 0 ? 'torn' : 'duplicated') : n < least ? 'lost' : 'ok';
    const line = { slot, mark, sent: w.print(item), expected: `${rowsText(least, most)} (${told})` } as const;
    return { ...line, stored: n === 0 ? 'nothing' : count(n, 'rows') };
  });
  const counterexample = { input: `${count(items.length, w.noun)}, ${what}`, slots };
  const wrong = slots.filter(({ mark }) => mark !== 'ok');
  if (wrong.length > 0) {
    const first = wrong[0]!;
    const why = failure ? ` (${failureText(failure)})` : '';
    throw new Violation(
      `${about(what)}: ${wrong.length} of ${count(items.length, w.noun)} are not as reported${why}; ` +
        `first in slot ${first.slot}: expected ${first.expected}, found ${first.stored}`,
      counterexample,
    );
  }
  if (atomic && stored > 0 && stored < items.length) {
    // Each may be there or not, but not some and some: those that are fewer are shown as wrong.
    const torn = slots.map((line, slot): SlotLine => {
      const isThere = found[slot]!.length > 0;
      const isOdd = isThere === stored <= items.length / 2;
      return { ...line, expected: 'all of them, or none', ...(isOdd && { mark: isThere ? 'torn' : 'lost' }) };
    });
    throw new Violation(
      `${about(what)}: ${stored} of ${count(items.length, w.noun)} are stored; it has to be all of them, or none`,
      { ...counterexample, slots: torn },
    );
  }
  mustClaimItsOwn(bench, written, found, what);
  return { stored, failed: failure !== undefined };
}

/** What the caller was told of one item, and between how many rows that is true. */
function expectation(written: Written, outcome: Outcome | undefined, atomic: boolean) {
  if (isUnknown(written, outcome)) return { told: 'told as unknown', least: 0, most: 1 };
  // A throw says nothing of the single items where they need not share one fate.
  if (written.threw) return { told: 'the call threw', least: 0, most: atomic ? 0 : 1 };
  if (outcome && ('stored' in outcome || 'duplicate' in outcome)) {
    return { told: 'stored' in outcome ? 'told as stored' : 'told as a duplicate', least: 1, most: 1 };
  }
  return { told: 'told as failed', least: 0, most: 0 };
}

function isUnknown({ threw }: Written, outcome: Outcome | undefined): boolean {
  if (threw) return saysUnknown(threw);
  if (outcome === undefined) return false;
  return 'unknown' in outcome || ('failed' in outcome && saysUnknown(outcome.failed));
}

function rowsText(least: number, most: number): string {
  if (least === most) return most === 0 ? 'nothing' : '1 row';
  return '1 row or nothing';
}

/** Which id belongs to which item is for the guards about ids; here one is looked for that names no row of the batch. */
function mustClaimItsOwn(bench: Bench, written: Written, found: { id: string }[][], what: string): void {
  if (bench.declaration.givesUp.ids !== undefined) return;
  const own = new Set(found.flat().map(({ id }) => id));
  const invented = claimedIds(written).filter((id) => !own.has(id));
  if (invented.length > 0) {
    throw new Violation(`${about(what)}: ${count(invented.length, 'ids')} name none of its rows (${short(invented)})`);
  }
}
