import type { Answer } from './outcomes-by-slot.ts';

interface Keyed {
  dedupeKey: string | null;
  /** As JSON text. */
  body: string;
}

/** The conflict that lets a row be left out: that with another row of its key, and no other. */
export const skipHeldKeys = 'ON CONFLICT (dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING';

export function hasKey(row: Keyed): boolean {
  return row.dedupeKey !== null;
}

/**
 * The rows with their slots, in the order of their keys. Writers that all take their keys in one order never wait for
 * each other in a circle. Of equal keys the first in the caller's order stays the first, and so do rows without one.
 */
export function inKeyOrder<Row extends Keyed>(rows: readonly Row[]): [slot: number, row: Row][] {
  const entries = [...rows.entries()];
  if (!rows.some(hasKey)) return entries;
  const keyOf = ([, row]: [number, Row]) => row.dedupeKey ?? '';
  return entries.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
}

/** A message that was left out, as another row holds its key. */
export interface Skipped {
  slot: number;
  key: string;
  body: string;
}

/** The row that holds a key. */
export interface Holder {
  id: bigint | string;
  dedupe_key: string;
  body: string;
}

/** The messages that have a key and were not inserted. */
export function skipped(rows: readonly Keyed[], inserted: readonly Answer[]): Skipped[] {
  if (inserted.length === rows.length) return [];
  const slots = new Set(inserted.map(({ slot }) => Number(slot)));
  return rows.flatMap(({ dedupeKey: key, body }, slot) =>
    key === null || slots.has(slot) ? [] : [{ slot, key, body }],
  );
}

/** Answers each message that was left out with the row that holds its key. */
export function duplicates(skipped: readonly Skipped[], holders: readonly Holder[]): Answer[] {
  const byKey = new Map(holders.map((holder) => [holder.dedupe_key, holder]));
  return skipped.map(({ slot, key, body }) => {
    const holder = byKey.get(key);
    if (!holder) throw new HolderGone(slot);
    return { slot, id: holder.id, duplicate: true, differs: holder.body !== body };
  });
}

/** The row that held a key when the insert met it was gone when its id was asked for: the next attempt may store. */
export class HolderGone extends Error {
  override name = 'HolderGone';
  readonly position: number;
  readonly retryable = true;

  constructor(position: number) {
    super(`message ${position} was not stored, as its key was held, and the row that held it is gone`);
    this.position = position;
  }
}
