import { mustSucceed, premise } from './checks.ts';
import { type Bench, Violation } from './guard.ts';
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

/** The tables that a batch of these items writes and how many rows each gets, seen by writing it on a lease of its own. */
export async function tablesWritten<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
): Promise<Record<string, number>> {
  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  await premise('the plain batch that it begins with', async () =>
    mustSucceed(w, items, await w.write(rig, items), 'a plain batch'),
  );
  const tables = grown(before, await rig.lease.snapshot());
  if (Object.keys(tables).length === 0) {
    throw new Violation(
      'a batch adds no row to any table of the engine: does the backend open the site that it was given?',
    );
  }
  return tables;
}

export interface Position {
  /** `first-chunk-middle`, or `middle` where there is one chunk. */
  name: string;
  /** Counted from 0. */
  slot: number;
}

/** The slots at which a fault tells most: first, middle and last of the first, second and last chunk. */
export function positions(bench: Bench, count: number): Position[] {
  const rows = declaredChunkRows(bench.declaration);
  if (rows < 4 || rows >= count) {
    return unique([
      { name: 'first', slot: 0 },
      { name: 'middle', slot: Math.floor(count / 2) },
      { name: 'last', slot: count - 1 },
    ]);
  }
  const chunks = [
    { name: 'first-chunk', from: 0 },
    { name: 'second-chunk', from: rows },
    { name: 'last-chunk', from: Math.floor((count - 1) / rows) * rows },
  ];
  return unique(
    chunks.flatMap(({ name, from }) => {
      const to = Math.min(from + rows, count) - 1;
      return [
        { name: `${name}-first`, slot: from },
        { name: `${name}-middle`, slot: Math.floor((from + to) / 2) },
        { name: `${name}-last`, slot: to },
      ];
    }),
  );
}

function unique(list: Position[]): Position[] {
  return list.filter((p, i) => list.findIndex((q) => q.slot === p.slot) === i);
}
