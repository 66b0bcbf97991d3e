import { mustSucceed, premise } from './checks.ts';
import { type Bench, type Rig, Violation } from './guard.ts';
import { declaredChunkRows, grown, type Writes } from './writes.ts';

/** Batch paths have been seen to cut at 25, 100 and 256 whatever they declare; a batch of this size crosses them all. */
const telling = 257;

/** Items of a batch that is large enough to need a third chunk, and to cross the sizes at which writers often cut. */
export function severalChunks(bench: Bench): number {
  const rows = declaredChunkRows(bench.declaration);
  const third = Number.isFinite(rows) ? 2 * rows + Math.ceil(rows / 2) : 0;
  const wanted = Math.max(telling, third);
  return Math.min(wanted, bench.declaration.limits.maxItems ?? wanted);
}

/** Items of a batch that needs a second chunk, where there are chunks. */
export function justASecondChunk(bench: Bench): number {
  const rows = declaredChunkRows(bench.declaration);
  return Math.min(rows < 4 || rows === Number.POSITIVE_INFINITY ? 30 : rows + 10, severalChunks(bench));
}

/**
 * The tables that a batch of these items writes and how many rows each gets, seen by writing it: on a lease of its own,
 * or on the one given, which afterwards is as it was.
 */
export async function tablesWritten<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  given?: Rig,
): Promise<Record<string, number>> {
  const rig = given ?? (await bench.open());
  const before = await rig.lease.snapshot();
  await premise('the plain batch that it begins with', async () =>
    mustSucceed(w, items, await w.write(rig, items), 'a plain batch'),
  );
  const tables = grown(before, await rig.lease.snapshot());
  if (given) await rig.lease.restore(before);
  if (Object.keys(tables).length === 0) {
    throw new Violation(
      'a batch adds no row to any table of the engine: does the backend open the site that it was given, ' +
        'and does it commit before its call returns?',
    );
  }
  return tables;
}

export interface Position {
  /** `first-chunk-middle`, or `middle` where there is one chunk. */
  name: string;
  chunk: 'first' | 'second' | 'last' | 'only';
  place: 'first' | 'middle' | 'last';
  /** Counted from 0. */
  slot: number;
}

/** The slots at which a fault tells most: first, middle and last of the first, second and last chunk. */
export function positions(bench: Bench, count: number): Position[] {
  const rows = declaredChunkRows(bench.declaration);
  if (rows < 4 || rows >= count) {
    return unique(within('only', 0, count - 1));
  }
  const chunks = [
    { chunk: 'first', from: 0 },
    { chunk: 'second', from: rows },
    { chunk: 'last', from: Math.floor((count - 1) / rows) * rows },
  ] as const;
  return unique(chunks.flatMap(({ chunk, from }) => within(chunk, from, Math.min(from + rows, count) - 1)));
}

function within(chunk: Position['chunk'], from: number, to: number): Position[] {
  const at = { first: from, middle: Math.floor((from + to + 1) / 2), last: to } as const;
  const prefix = chunk === 'only' ? '' : `${chunk}-chunk-`;
  return (['first', 'middle', 'last'] as const).map((place) => ({
    name: `${prefix}${place}`,
    chunk,
    place,
    slot: at[place],
  }));
}

/** The row of a table, from 1, that belongs to a slot; where there are more or fewer rows than items, its share. */
export function rowAt(slot: number, size: number, rows: number): number {
  return 1 + Math.floor((slot * (rows - 1)) / Math.max(1, size - 1));
}

function unique(list: Position[]): Position[] {
  return list.filter((p, i) => list.findIndex((q) => q.slot === p.slot) === i);
}
