import type { Counterexample, SlotLine } from './counterexample.ts';
import type { Bench } from './guard.ts';
import { type Rig, Vacuous, Violation } from './guard.ts';
import { type Failure, failureChain } from './outcome.ts';
import { count, short } from './print.ts';
import {
  claimedIds,
  claimedStored,
  type Difference,
  failureOf,
  type StoredItem,
  type Writes,
  type Written,
} from './writes.ts';

/** Fails the guard unless the call returned one `stored` outcome for every item. */
export function mustSucceed<Item>(w: Writes<Item>, items: readonly Item[], written: Written, what: string): void {
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}`);
  mustCount(w, items, written, what);
  const stored = claimedStored(written);
  if (stored !== items.length) {
    throw new Violation(`${about(what)}: only ${stored} of ${count(items.length, w.noun)} are reported stored`);
  }
}

/** What a message is about, in front of its colon: a clause that goes on without one ends in a comma. */
export function about(what: string): string {
  return what.replace(/,$/, '');
}

/**
 * Does what a guard begins with or compares with, and calls it `it`. When that goes wrong, the guard has nothing to say
 * of its own rule.
 */
export async function premise<T>(what: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Violation && error.constructor === Violation)
      throw new Vacuous(`${what} went wrong: ${error.message.replace(/^it: /, '')}`);
    throw error;
  }
}

/** Fails the guard unless there are as many outcomes as items. */
export function mustCount<Item>(w: Writes<Item>, items: readonly Item[], written: Written, what: string): void {
  if (written.malformed) throw new Violation(`${about(what)} returned no list of outcomes: ${written.malformed}`);
  const found = written.outcomes?.length ?? 0;
  if (found !== items.length) {
    throw new Violation(`${about(what)}: ${count(found, 'outcomes')} for ${count(items.length, w.noun)}`);
  }
}

/** What a guard has recorded of a call beside the call's own report. */
export interface Recorded {
  /** The connection was cut or ended during the call, or the engine crashed: its outcome may be unknown. */
  answerLost?: boolean;
}

/** Fails the guard unless the call failed and claims nothing; `unknown` is no answer where none was lost. */
export function mustFail<Item>(
  w: Writes<Item>,
  items: readonly Item[],
  written: Written,
  what: string,
  recorded: Recorded = {},
): void {
  mustTellOfFailure(w, items, written, what);
  const ids = claimedIds(written);
  if (ids.length > 0)
    throw new Violation(`${what} failed, yet ${count(ids.length, 'outcomes')} carry an id (${short(ids)})`);
  mustKnow(written, what, recorded);
}

/** Fails the guard unless the call, or one outcome at least, says failed; without `atomic` others may be stored. */
export function mustTellOfFailure<Item>(w: Writes<Item>, items: readonly Item[], written: Written, what: string): void {
  if (failureOf(written)) return;
  throw new Violation(`${what} was reported as a success: ${count(claimedStored(written), w.noun)} said to be stored`, {
    input: `${count(items.length, w.noun)}, ${what}`,
    slots: items.map((item, slot) => ({
      slot,
      mark: 'wrong',
      sent: w.print(item),
      expected: 'failed',
      stored: short(written.outcomes?.[slot]),
    })),
  });
}

/** Fails the guard where an outcome is unknown although no answer was lost. */
export function mustKnow(written: Written, what: string, { answerLost = false }: Recorded): void {
  const told = unknownIn(written);
  if (told && !answerLost) {
    throw new Violation(
      `${what} is reported as unknown, although neither its connection nor its engine was lost: ${failureText(told)}`,
    );
  }
}

/** The failure that is told as unknown: whether the items are stored nobody can say. */
export function unknownIn({ threw, outcomes }: Written): Failure | undefined {
  if (threw) return saysUnknown(threw) ? threw : undefined;
  for (const outcome of outcomes ?? []) {
    if ('unknown' in outcome) return outcome.unknown;
    if ('failed' in outcome && saysUnknown(outcome.failed)) return outcome.failed;
  }
  return undefined;
}

/** Whether the failure, or what caused it, is that the answer was lost. */
export function saysUnknown(failure: Failure): boolean {
  return failureChain(failure).some(({ unknown }) => unknown === true);
}

/** Fails the guard when anything of these items is stored. */
export async function mustHaveStoredNothing<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  what: string,
): Promise<void> {
  const left = byToken(await w.stored(bench, rig));
  const rows = items.map((item) => left.get(w.token(item))?.length ?? 0);
  const kept = rows.filter((n) => n > 0).length;
  if (kept === 0) return;
  const slots = items.map((item, slot): SlotLine => {
    const n = rows[slot]!;
    const line = { slot, sent: w.print(item), expected: 'nothing' };
    return n === 0 ? { ...line, mark: 'ok', stored: 'nothing' } : { ...line, mark: 'torn', stored: count(n, 'rows') };
  });
  throw new Violation(
    `${about(what)}: ${kept} of ${count(items.length, w.noun)} are stored although the batch failed`,
    {
      input: `${count(items.length, w.noun)}, ${what}`,
      slots,
    },
  );
}

/** Fails the guard unless every item is stored exactly once; returns what is stored, by slot. */
export async function mustHaveStoredAll<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  what: string,
): Promise<StoredItem[]> {
  const found = byToken(await w.stored(bench, rig));
  const rows = items.map((item) => found.get(w.token(item)) ?? []);
  const lost = items.filter((_, slot) => rows[slot]!.length === 0);
  const doubled = rows.filter((r) => r.length > 1).length;
  if (lost.length + doubled > 0) {
    const late = await cameLate(bench, w, rig, lost);
    const faults = [
      ...(lost.length > 0 ? [`${lost.length} of ${count(items.length, w.noun)} are not stored${late ?? ''}`] : []),
      ...(doubled > 0 ? [`${doubled} of ${count(items.length, w.noun)} are stored more than once`] : []),
    ];
    throw new Violation(`${about(what)}: ${faults.join(', ')}`, slotTable(w, items, rows, what));
  }
  return rows.map((r) => r[0]!);
}

/**
 * How many of the items that are not there come once the subject is quiet, as the end of a sentence; undefined where
 * none does.
 */
export async function cameLate<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  missing: readonly Item[],
): Promise<string | undefined> {
  if (missing.length === 0) return undefined;
  const since = performance.now();
  await rig.quiet();
  const found = byToken(await w.stored(bench, rig));
  const came = missing.filter((item) => found.has(w.token(item))).length;
  if (came === 0) return undefined;
  const after = Math.ceil(performance.now() - since);
  return ` when the call has settled; ${after} ms later ${came} are: it must not settle before the engine has committed`;
}

function slotTable<Item>(w: Writes<Item>, items: readonly Item[], rows: StoredItem[][], what: string): Counterexample {
  return {
    input: `${count(items.length, w.noun)}, ${what}`,
    slots: items.map((item, slot) => {
      const n = rows[slot]!.length;
      return {
        slot,
        mark: n === 1 ? 'ok' : n === 0 ? 'lost' : 'duplicated',
        sent: w.print(item),
        expected: '1 row',
        stored: n === 1 ? '1 row' : n === 0 ? 'nothing' : count(n, 'rows'),
      };
    }),
  };
}

/** Fails the guard where what is stored differs from what was sent, field by field. */
export function mustBeExact<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  rows: readonly StoredItem[],
  written: Written,
  what: string,
): void {
  const differences = items.map((item, slot) => w.differences(bench, item, rows[slot]!, written));
  mustAgree(w, items, differences, what, 'stored as sent');
}

/** Fails the guard where a slot has differences; `how` says what it would be without them. */
export function mustAgree<Item>(
  w: Writes<Item>,
  items: readonly Item[],
  differences: readonly Difference[][],
  what: string,
  how: string,
): void {
  const bad = differences.findIndex((list) => list.length > 0);
  if (bad < 0) return;
  const print = (list: readonly Difference[], side: 'expected' | 'found') =>
    list.map((d) => `${d.field} = ${short(d[side])}`).join('; ') || how;
  const slots = items.map((item, slot): SlotLine => {
    const list = differences[slot]!;
    const mark = list.length > 0 ? 'changed' : 'ok';
    return { slot, mark, sent: w.print(item), expected: print(list, 'expected'), stored: print(list, 'found') };
  });
  const first = differences[bad]!;
  throw new Violation(
    `${about(what)}: ${differences.filter((list) => list.length > 0).length} of ${count(items.length, w.noun)} are not ${how}; ` +
      `first in slot ${bad}: expected ${print(first, 'expected')}, found ${print(first, 'found')}`,
    { input: `${count(items.length, w.noun)}, ${what}`, slots },
  );
}

/** Stored items by the nonce in their body. */
export function byToken(stored: readonly StoredItem[]): Map<string, StoredItem[]> {
  const map = new Map<string, StoredItem[]>();
  for (const item of stored) {
    if (item.token === undefined) continue;
    const list = map.get(item.token);
    if (list) list.push(item);
    else map.set(item.token, [item]);
  }
  return map;
}

/** A failure with its causes, on one line. */
export function failureText(failure: Parameters<typeof failureChain>[0]): string {
  return failureChain(failure)
    .map((f) => `${f.name}: ${f.message}`)
    .join(' <- ');
}
