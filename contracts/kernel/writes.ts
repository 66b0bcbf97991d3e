import type { Capability, Declaration, Offer } from './capabilities.ts';
import type { Snapshot } from './engine.ts';
import type { Bench, CallOptions, Rig } from './guard.ts';
import type { Failure, Outcome } from './outcome.ts';

/** What a call to a writing member came to. */
export interface Written {
  /** One outcome per item, in the caller's order; null when the call threw or did not return a list of outcomes. */
  outcomes: Outcome[] | null;
  /** What the call threw, or undefined. */
  threw: Failure | undefined;
  /** What the call returned instead of outcomes, in words. */
  malformed: string | undefined;
  /** Which input the subject changed, in words. */
  touched: string | undefined;
  /** The judge's clock before the call and after it, in epoch milliseconds. */
  startedAt: number;
  settledAt: number;
}

/** One stored item as the probe read it. */
export interface StoredItem {
  /** Nonce of the item whose body it holds, or undefined when it holds none. */
  token: string | undefined;
  id: string;
  /** All fields that the probe gave, decoded. */
  fields: Record<string, unknown>;
}

/** Which of the optional fields generated items set. */
export type Shape =
  /** Every offered option on every item, distinct ordinary values. */
  | 'full'
  /** Only what an item cannot do without. */
  | 'bare'
  /** A different selection of options on every item. */
  | 'mixed';

/**
 * What the guards common to all writing contracts need to know of one: how its items are made, written and found again.
 * A contract joins the common family by describing its writes this way.
 */
export interface Writes<Item> {
  contract: string;
  /** Members of the port. */
  members: readonly string[];
  /** Members of the port by which a capability is used; whoever claims it has all of them. */
  membersOf: Partial<Record<Capability, readonly string[]>>;
  /** Plural of what is written, for messages: `messages`, `slots`. */
  noun: string;
  /** `count` items that differ from each other in every value, each with a nonce in its body. */
  items(bench: Bench, count: number, shape?: Shape): Item[];
  /** The nonce of an item. */
  token(item: Item): string;
  /** What an item is made of, by name: each value differs from item to item. */
  values(item: Item): Record<string, unknown>;
  /** The item on one short line, as a person reads it. */
  print(item: Item): string;
  /** The same item with a body that fails when the backend reads it. */
  unreadable(item: Item): Item;
  /** The same item with a body that holds so many characters of three bytes each in UTF-8. */
  wide(bench: Bench, item: Item, characters: number): Item;
  /** The same item, using an option that the declaration does not offer; undefined where items know no such option. */
  using(bench: Bench, item: Item, offer: Offer): Item | undefined;
  /** The item's own sharable options objects (headers and the like), for the guard that shares one among all. */
  sharing(items: Item[]): Item[] | undefined;
  /** The same items, each asking for all that is offered beside its metadata (a key, an id, columns, a job). */
  withEveryOffer?(bench: Bench, items: readonly Item[]): Item[];
  write(rig: Rig, items: readonly Item[], options?: CallOptions): Promise<Written>;
  /** The calls beside the plain one by which a batch can be written, as far as they are offered or claimed. */
  otherCalls?(bench: Bench): OtherCall<Item>[];
  /** Writes one item by the single path, or as a batch of one where the backend has none. */
  writeOne(rig: Rig, item: Item, options?: CallOptions): Promise<Written>;
  /** The tables of which a write changes rows that were there before; where it changes none, absent. */
  changed?(bench: Bench): Promise<string[]>;
  /** Remembers those rows; the function returned tells, in words, in what they differ by then. */
  standing?(bench: Bench, rig: Rig): Promise<() => Promise<string[]>>;
  /** Everything stored in the namespace; throws `Violation` when the namespace is not there. */
  stored(bench: Bench, rig: Rig): Promise<StoredItem[]>;
  /** How what is stored differs from the item that was written; empty when every value is exact. */
  differences(bench: Bench, item: Item, stored: StoredItem, written: Written): Difference[];
  /**
   * How what was stored of some items differs, slot by slot, from what was stored of the same items at another time; ids
   * aside, and whatever else is drawn for each row.
   */
  rowDifferences(bench: Bench, found: readonly StoredBy[], expected: readonly StoredBy[]): Promise<Difference[][]>;
}

/** A call that writes a batch otherwise than the plain one does. */
export interface OtherCall<Item> {
  /** For the names of cases: `with-chunk-size`. */
  name: string;
  /** Behind `a batch`: `with a chunk size`. */
  how: string;
  /** It has ended when it returns, and hears of nothing while it runs. */
  blocks: boolean;
  write(rig: Rig, items: readonly Item[], options?: CallOptions): Promise<Written>;
}

/** A row, and the call that wrote it. */
export interface StoredBy {
  row: StoredItem;
  by: Written;
}

export interface Difference {
  field: string;
  expected: unknown;
  found: unknown;
}

/** Tells how a call failed, or undefined when every item was stored or recognised. */
export function failureOf(written: Written): Failure | undefined {
  if (written.threw) return written.threw;
  for (const outcome of written.outcomes ?? []) {
    if ('failed' in outcome) return outcome.failed;
    if ('unknown' in outcome) return outcome.unknown;
  }
  if (!written.outcomes) return { name: 'TypeError', message: `returned no list of outcomes: ${written.malformed}` };
  return undefined;
}

/** Ids that the outcomes claim to have been stored. */
export function claimedIds(written: Written): string[] {
  return (written.outcomes ?? []).flatMap((o) => ('stored' in o && o.stored !== null ? [o.stored] : []));
}

/** Slots whose outcome says stored, with or without an id. */
export function claimedStored(written: Written): number {
  return (written.outcomes ?? []).filter((o) => 'stored' in o).length;
}

/** Names of tables whose row count grew from one snapshot to the next, with how much. */
export function grown(before: Snapshot, after: Snapshot): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [table, rows] of Object.entries(after.tables)) {
    const more = rows - (before.tables[table] ?? 0);
    if (more > 0) result[table] = more;
  }
  return result;
}

/** Rows that one statement of a batch carries, as declared; Infinity where a batch is one statement. */
export function declaredChunkRows(declaration: Declaration): number {
  const { chunk } = declaration;
  if (chunk === 'none') return Number.POSITIVE_INFINITY;
  return 'rows' in chunk ? chunk.rows : Math.max(1, Math.floor(chunk.params / 16));
}
