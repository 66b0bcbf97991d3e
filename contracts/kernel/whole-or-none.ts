import { about, byToken, mustCount, saysUnknown } from './checks.ts';
import type { SlotLine } from './counterexample.ts';
import { type Bench, type Rig, Violation } from './guard.ts';
import { count, short } from './print.ts';
import { claimedIds, failureOf, type Writes, type Written } from './writes.ts';

/** What is there of a batch: all of it, every item once, or nothing. */
export interface WholeOrNone {
  whole: boolean;
  /** The ids of its rows. */
  ids: Set<string>;
}

/** Fails the guard unless every item is stored exactly once, or none is. */
export async function mustBeWholeOrNone<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  what: string,
): Promise<WholeOrNone> {
  const stored = byToken(await w.stored(bench, rig));
  const rows = items.map((item) => stored.get(w.token(item)) ?? []);
  const there = rows.filter((r) => r.length > 0).length;
  const total = rows.reduce((sum, r) => sum + r.length, 0);
  if (total > there) {
    throw new Violation(
      `${about(what)}: ${count(total, 'rows')} are stored of ${count(items.length, w.noun)}; it has to be each of them once, or none`,
      { input: `${count(items.length, w.noun)}, ${what}`, slots: slotLines(w, items, rows) },
    );
  }
  if (there > 0 && there < items.length) {
    throw new Violation(
      `${about(what)}: ${there} of ${count(items.length, w.noun)} are stored; it has to be all of them, or none`,
      { input: `${count(items.length, w.noun)}, ${what}`, slots: slotLines(w, items, rows) },
    );
  }
  return { whole: there > 0, ids: new Set(rows.flat().map(({ id }) => id)) };
}

function slotLines<Item>(w: Writes<Item>, items: readonly Item[], rows: readonly unknown[][]): SlotLine[] {
  return items.map((item, slot) => {
    const found = rows[slot]!.length;
    return {
      slot,
      mark: found === 0 ? 'lost' : found === 1 ? 'torn' : 'duplicated',
      sent: w.print(item),
      expected: '1 row each, or none',
      stored: found === 0 ? 'nothing' : count(found, 'rows'),
    };
  });
}

/** How a call told what became of a batch. */
export type Told = 'stored' | 'failed' | 'unknown';

/** What the call said became of the whole batch; fails the guard when it says different things of different items. */
export function toldOf<Item>(w: Writes<Item>, items: readonly Item[], written: Written, what: string): Told {
  if (!written.outcomes) return saysUnknown(failureOf(written)!) ? 'unknown' : 'failed';
  mustCount(w, items, written, what);
  const told = written.outcomes.map((outcome): Told => {
    if ('stored' in outcome || 'duplicate' in outcome) return 'stored';
    if ('unknown' in outcome) return 'unknown';
    return saysUnknown(outcome.failed) ? 'unknown' : 'failed';
  });
  const other = told.findIndex((t) => t !== told[0]);
  if (other < 0) return told[0] ?? 'stored';
  throw new Violation(
    `${about(what)}: the outcomes are mixed: slot 0 says ${short(written.outcomes[0])}, slot ${other} says ${short(written.outcomes[other])}`,
  );
}

/** Fails the guard when the call claims what is not there: a batch of which nothing is stored, or ids that no row of it has. */
export function mustClaimWhatIsThere<Item>(
  w: Writes<Item>,
  items: readonly Item[],
  written: Written,
  found: WholeOrNone,
  what: string,
): void {
  if (toldOf(w, items, written, what) === 'stored' && !found.whole) {
    throw new Violation(
      `${what} was reported as stored (outcome 0 says ${short(written.outcomes?.[0])}), but nothing of it is there`,
    );
  }
  const foreign = claimedIds(written).filter((id) => !found.ids.has(id));
  if (foreign.length > 0) {
    throw new Violation(
      `${about(what)}: ${count(foreign.length, 'outcomes')} claim an id that none of its rows has (${short(foreign)})`,
    );
  }
}
