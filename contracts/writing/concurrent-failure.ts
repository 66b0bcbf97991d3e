import fc from 'fast-check';
import type { SeenStatement } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig } from '../kernel/guard.ts';
import { linedUp } from '../kernel/lined-up.ts';
import { positions, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import type { Writes } from '../kernel/writes.ts';
import { Met } from './met.ts';

/** Rounds of two batches at once in which one may fail beside another that is stored. */
const rounds = 12;

/** Milliseconds in which one subject that is at work on a batch sends the next, unless it waits for the first to end. */
const patience = 1000;

/** Batches that are written at once on one subject: drivers' pools have ten connections unless told otherwise. */
const crowd = 24;

/** Items of each of them, where a batch can have so many. */
const few = 3;

export function concurrentFailureIsIsolated<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/concurrent-failure-is-isolated`,
    statement:
      "A batch that fails beside another one takes nothing of the other's with it, and both are told the truth.",
    needs: ['rowFault', 'trace'],
    needsThread: true,
    proves: ['calls overlapped', 'neighbours stored', 'run by'],
    async check(bench) {
      const met = new Met();
      await bench.case('on-one-subject', async () => {
        const rig = await bench.open();
        // One that takes no second call before the first is done will not do so later.
        if (await race(bench, w, rig, rig, patience)) met.note({ 'run by': 'one subject' });
      });
      bench.leaveOut('on-two-subjects', bench.facts.lacks.twoHosts);
      if (bench.facts.lacks.twoHosts === undefined) {
        await bench.case('on-two-subjects', async () => {
          const left = await bench.open();
          const right = await bench.open({ lease: left.lease, anotherHost: true });
          if (await race(bench, w, left, right)) met.note({ 'run by': 'two subjects in two hosts' });
        });
      }
      await bench.case('among-many', async () => {
        if (await amongMany(bench, w)) met.note({ 'run by': 'many calls on one subject' });
      });
      if (met.isEmpty) {
        const why = 'two batches never overlapped: the subject runs one after the other';
        throw new NotApplicable(
          'backend',
          bench.facts.lacks.twoHosts ? `${why}, and ${bench.facts.lacks.twoHosts}` : why,
        );
      }
      met.record(bench);
    },
  });
}

/**
 * Writes two batches at once, one row of which fails once, until one of them is seen to be stored beside it. Returns
 * whether the calls ever overlapped.
 */
async function race<Item>(bench: Bench, w: Writes<Item>, left: Rig, right: Rig, patience?: number): Promise<boolean> {
  const { lease } = left;
  const size = severalChunks(bench);
  const [table, rows] = Object.entries(await tablesWritten(bench, w, w.items(bench, size), left))[0]!;
  // Where each host counts its own rows, only the larger batch has as many as the fault waits for.
  const smaller = Math.floor(size / 2);
  const slots = positions(bench, size).flatMap(({ slot }) => (slot > smaller ? [slot] : []));
  const empty = await lease.snapshot();
  let overlaps = 0;
  for (let round = 0; round < rounds; round++) {
    const slot = bench.draw(fc.constantFrom(...slots));
    const batches = [w.items(bench, size), w.items(bench, smaller)] as const;
    const watch = await lease.watch();
    const fault = await lease.arm({ at: 'row', table, nth: rowAt(slot, size, rows), kind: 'trigger', once: true });
    const both = { facts: bench.facts, lease, sessions: 2, ...(patience !== undefined && { patience }) };
    const written = await linedUp(both, () => Promise.all([w.write(left, batches[0]), w.write(right, batches[1])]));
    await fault.disarm();
    const overlapped = overlap((await watch.stop()).statements);
    const { count } = await fault.sprung();
    let stored = 0;
    for (const [i, items] of batches.entries()) {
      const which = i === 0 ? 'first' : 'second';
      const what = `the ${which} of two batches that were written at once, one row of which the engine refused,`;
      const came = await mustBeTrue(bench, w, left, items, written[i]!, what);
      if (!came.failed) stored += 1;
    }
    await lease.restore(empty);
    // Two that did not meet, although they were made to, will not.
    if (!overlapped) break;
    overlaps += 1;
    // When none failed, by the fault or since it gave way to the other, or both did, nothing was seen of a neighbour.
    if ((count === 0 && stored === 2) || stored === 0) continue;
    bench.record('neighbours stored', 1);
    break;
  }
  if (overlaps > 0) bench.record('calls overlapped', overlaps);
  return overlaps > 0;
}

/**
 * Writes more batches at once than a subject has connections, one item of which the engine always refuses: who takes
 * whatever connection is free for each statement mixes up transactions only then. Returns whether they overlapped.
 */
async function amongMany<Item>(bench: Bench, w: Writes<Item>): Promise<boolean> {
  const rig = await bench.open();
  const size = Math.min(few, bench.declaration.limits.maxItems ?? few);
  const batches = Array.from({ length: crowd }, () => w.items(bench, size));
  const tables = Object.keys(await tablesWritten(bench, w, w.items(bench, size), rig));
  // Those before it have written by then, and not yet committed.
  const bad = w.token(batches.at(-1)!.at(-1)!);
  const faults = [];
  // Its nonce is in the table of the bodies, and in no other.
  for (const table of tables) faults.push(await rig.lease.arm({ at: 'poison', table, text: bad }));
  const watch = await rig.lease.watch();
  const written = await Promise.all(batches.map((items) => w.write(rig, items)));
  const overlapped = overlap((await watch.stop()).statements);
  for (const fault of faults) await fault.disarm();
  await rig.quiet();
  let stored = 0;
  for (const [i, items] of batches.entries()) {
    const what = `call ${i + 1} of ${crowd} at once on one subject, an item of one of which the engine refused,`;
    if (!(await mustBeTrue(bench, w, rig, items, written[i]!, what)).failed) stored += 1;
  }
  if (!overlapped) return false;
  bench.record('calls overlapped', 1);
  if (stored > 0) bench.record('neighbours stored', stored);
  return true;
}

/** Whether two connections were at work, from their first statement to their last, during the same time. */
export function overlap(statements: readonly SeenStatement[]): boolean {
  const spans = new Map<number, { from: number; to: number }>();
  for (const { connection, startedMs, endedMs } of statements) {
    const { from, to } = spans.get(connection) ?? { from: startedMs, to: endedMs };
    spans.set(connection, { from: Math.min(from, startedMs), to: Math.max(to, endedMs) });
  }
  const list = [...spans.values()];
  return list.some((a, i) => list.slice(i + 1).some((b) => a.from < b.to && b.from < a.to));
}
