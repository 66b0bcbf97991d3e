import { byToken } from '../kernel/checks.ts';
import type { Fault } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count, short } from '../kernel/print.ts';
import { rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { failureOf, grown, type Writes, type Written } from '../kernel/writes.ts';

export function failedBatchDoesNotComeBack<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/failed-batch-does-not-come-back`,
    statement: 'Nothing of a batch that failed is stored by a later batch, by a single write, or by opening again.',
    proves: ['failed batches', 'later writes', 'reopened'],
    async check(bench) {
      const size = severalChunks(bench);
      const tables = await tablesWritten(bench, w, w.items(bench, size));
      const [table, rows] = Object.entries(tables)[0]!;
      const after = (how: string, failed: readonly Item[], fault?: Fault) =>
        bench.case(`after-${how}`, () => stayAway(bench, w, { failed, tables, ...(fault && { fault }) }));
      bench.leaveOut('after-a-refused-row', bench.facts.lacks.rowFault);
      if (!bench.facts.lacks.rowFault) {
        const nth = rowAt(size - 1, size, rows);
        await after('a-refused-row', w.items(bench, size), { at: 'row', table, nth, kind: 'trigger' });
      }
      bench.leaveOut('after-a-refused-commit', bench.facts.lacks.commitFault);
      if (!bench.facts.lacks.commitFault) {
        await after('a-refused-commit', w.items(bench, size), { at: 'commit', table });
      }
      const unreadable = w.items(bench, size).map((item, slot) => (slot === size - 1 ? w.unreadable(item) : item));
      await after('an-unreadable-item', unreadable);
    },
  });
}

interface Plan<Item> {
  failed: readonly Item[];
  /** The rows that a batch of as many items adds, by table. */
  tables: Record<string, number>;
  fault?: Fault;
}

/** Lets a batch fail, writes others, opens again, and looks for what of the failed batch was not there before. */
async function stayAway<Item>(bench: Bench, w: Writes<Item>, plan: Plan<Item>): Promise<void> {
  const { failed, tables, fault } = plan;
  const rig = await bench.open();
  const armed = fault && (await rig.lease.arm(fault));
  const written = await w.write(rig, failed);
  await armed?.disarm();
  const failure = failureOf(written);
  // What is reported as stored is for other guards.
  if (!failure) return;
  bench.record('failed batches', 1);
  // What arrives late by itself is for another guard.
  await rig.quiet();
  const kept = storedOf(w, failed, await w.stored(bench, rig));

  const later = w.items(bench, failed.length);
  const before = await rig.lease.snapshot();
  await writeLater(bench, w.write(rig, later));
  mustNotBeBack(w, failed, kept, storedOf(w, failed, await w.stored(bench, rig)), 'by the next batch');
  const more = grown(before, await rig.lease.snapshot());
  const tooMany = Object.entries(more).filter(([table, rows]) => rows > (tables[table] ?? 0));
  if (tooMany.length > 0) {
    throw new Violation(
      `the batch after a failed one added ${short(more)} rows, a batch of its size alone adds ${short(tables)}`,
    );
  }
  await writeLittle(bench, w, rig);
  mustNotBeBack(w, failed, kept, storedOf(w, failed, await w.stored(bench, rig)), 'by a later write');
  await rig.subject.close();
  const reopened = await bench.open({ lease: rig.lease });
  await writeLittle(bench, w, reopened);
  mustNotBeBack(
    w,
    failed,
    kept,
    storedOf(w, failed, await w.stored(bench, reopened)),
    'after the subject was opened again',
  );
  bench.record('reopened', 1);
}

/** A single write and a batch of two. */
async function writeLittle<Item>(bench: Bench, w: Writes<Item>, rig: Rig): Promise<void> {
  const [one, ...two] = w.items(bench, 3);
  await writeLater(bench, w.writeOne(rig, one!));
  await writeLater(bench, w.write(rig, two));
}

/** Whether a write after a failure succeeds is for another guard; here only one that did counts. */
async function writeLater(bench: Bench, writing: Promise<Written>): Promise<void> {
  if (!failureOf(await writing)) bench.record('later writes', 1);
}

/** Slots of the items that are stored. */
function storedOf<Item>(
  w: Writes<Item>,
  items: readonly Item[],
  stored: Parameters<typeof byToken>[0],
): ReadonlySet<number> {
  const there = byToken(stored);
  return new Set(items.flatMap((item, slot) => (there.has(w.token(item)) ? [slot] : [])));
}

function mustNotBeBack<Item>(
  w: Writes<Item>,
  failed: readonly Item[],
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
  how: string,
): void {
  const back = [...after].filter((slot) => !before.has(slot));
  if (back.length === 0) return;
  throw new Violation(`${back.length} of ${count(failed.length, w.noun)} of a batch that failed were stored ${how}`, {
    input: `${count(failed.length, w.noun)} in a batch that failed, then other writes`,
    slots: failed.map((item, slot) => ({
      slot,
      mark: back.includes(slot) ? 'wrong' : 'ok',
      sent: w.print(item),
      expected: before.has(slot) ? '1 row' : 'nothing',
      stored: after.has(slot) ? '1 row' : 'nothing',
    })),
  });
}
