import { byToken, failureText, mustKnow, mustTellOfFailure, saysUnknown } from '../kernel/checks.ts';
import type { Point, Sprung } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import { mustBeWholeOrNone, mustClaimWhatIsThere, toldOf } from '../kernel/whole-or-none.ts';
import { failureOf, grown, type Writes, type Written } from '../kernel/writes.ts';
import { statementsOf } from './plain-batch.ts';

/** The places of a commit at which its connection is cut, in words. */
const places = {
  'before-sent': 'before its commit was sent',
  'after-sent': 'once its commit had been sent',
  'before-ack': 'before the acknowledgement of its commit was read',
} as const;
type Place = keyof typeof places;
const allPlaces = Object.keys(places) as Place[];

export function lostAckIsAllOrNothing<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/lost-ack-is-all-or-nothing`,
    statement:
      'Wherever round its commit the connection is cut, the batch is stored whole and once or not at all, and no outcome claims an id that is not there.',
    needs: ['cut', 'trace'],
    proves: ['cuts', 'commits whose acknowledgement was lost'],
    async check(bench) {
      const items = w.items(bench, severalChunks(bench));
      const whole = await tablesWritten(bench, w, items);
      const statements = (await statementsOf(bench, w, items)).length;
      if (statements > 1) {
        const statement = Math.ceil(statements / 2) + 1;
        const where = `before statement ${statement} of ${statements}`;
        await bench.case('in-the-middle', async () => {
          await wholeAfterCut(bench, w, items, { statement }, where, whole);
        });
      }
      for (const place of allPlaces) {
        await bench.case(place, async () => {
          const stored = await wholeAfterCut(bench, w, items, { commit: place }, places[place], whole);
          if (place === 'before-ack') bench.record('commits whose acknowledgement was lost', stored ? 1 : 0);
        });
      }
    },
  });
}

/** Cuts the connection and looks for what is left of the batch; returns whether any of it is stored. */
async function wholeAfterCut<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  point: Point,
  where: string,
  whole: Record<string, number>,
): Promise<boolean> {
  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  const { written, sprung } = await cutBatch(rig, w, items, point);
  const what = `a batch whose connection was cut ${where}`;
  bench.record('cuts', sprung.count);
  const { up, down } = sprung.passed ?? { up: 0, down: 0 };
  const note = (rows: number) =>
    bench.record(
      `cut ${where}`,
      `${up} bytes to the engine and ${down} back had passed; ${rows > 0 ? count(rows, 'rows') : 'no row'} of it in the engine`,
    );
  if (bench.declaration.givesUp.atomic !== undefined) {
    // Whether a message is failed or unknown is for the guard that asks for unknown.
    const outcomes = written.outcomes?.map((told) => ('failed' in told ? { unknown: told.failed } : told)) ?? null;
    const lost = { answerLost: true };
    const { stored } = await mustBeTrue(bench, w, rig, items, { ...written, outcomes }, what, lost);
    note(stored);
    return stored > 0;
  }
  const found = await mustBeWholeOrNone(bench, w, rig, items, what);
  note(found.whole ? items.length : 0);
  mustClaimWhatIsThere(w, items, written, found, what);
  const more = grown(before, await rig.lease.snapshot());
  const expected = found.whole ? whole : {};
  if (!sameCounts(more, expected)) {
    throw new Violation(
      `${what} left ${rowsText(more)}; a batch that is ${found.whole ? 'whole' : 'not there'} has ${rowsText(expected)}`,
    );
  }
  return found.whole;
}

function sameCounts(a: Record<string, number>, b: Record<string, number>): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((table) => a[table] === b[table]);
}

function rowsText(tables: Record<string, number>): string {
  return (
    Object.entries(tables)
      .map(([table, rows]) => `${count(rows, 'rows')} in ${table}`)
      .join(', ') || 'no rows'
  );
}

export function unknownIsTold<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/unknown-is-told`,
    level: 'should',
    statement:
      'After a lost acknowledgement the outcome is unknown, or truly decided, but not plainly failed; where the engine has refused the batch it is failed, not unknown.',
    needs: ['cut'],
    proves: ['cuts', 'commits whose acknowledgement was lost'],
    async check(bench) {
      const items = w.items(bench, 11);
      for (const place of allPlaces) {
        await bench.case(place, async () => {
          const rig = await bench.open();
          const { written, sprung } = await cutBatch(rig, w, items, { commit: place });
          const what = `a batch whose connection was cut ${places[place]}`;
          bench.record('cuts', sprung.count);
          // Whether it is whole, and whether its ids are real, is for the guard about all or nothing.
          const stored = byToken(await w.stored(bench, rig));
          const there = items.filter((item) => stored.has(w.token(item))).length;
          if (place === 'before-ack') bench.record('commits whose acknowledgement was lost', there > 0 ? 1 : 0);
          const told =
            bench.declaration.givesUp.atomic === undefined ? toldOf(w, items, written, what) : 'each for itself';
          bench.record(`cut ${places[place]}`, `told as ${told}, ${there > 0 ? 'stored' : 'not stored'}`);
          const wrong = items.filter(
            (item, slot) => stored.has(w.token(item)) && isPlainlyFailed(written, slot),
          ).length;
          if (wrong === 0) return;
          throw new Violation(
            `${what} is told as failed (${failureText(failureOf(written)!)}), but ${wrong} of its ${count(items.length, w.noun)} are stored: ` +
              'the outcomes should be unknown, or what is thrown should carry `unknown: true`',
          );
        });
      }
      bench.leaveOut('refused-by-the-engine', bench.facts.lacks.rowFault);
      if (bench.facts.lacks.rowFault === undefined) {
        await bench.case('refused-by-the-engine', () => refusedIsNotUnknown(bench, w, items));
      }
    },
  });
}

function isPlainlyFailed({ threw, outcomes }: Written, slot: number): boolean {
  if (threw) return !saysUnknown(threw);
  const outcome = outcomes?.[slot];
  return outcome !== undefined && 'failed' in outcome && !saysUnknown(outcome.failed);
}

/** Where no answer was lost, the caller is owed a plain one. */
async function refusedIsNotUnknown<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[]): Promise<void> {
  const [table, rows] = Object.entries(await tablesWritten(bench, w, items))[0]!;
  const rig = await bench.open();
  const fault = await rig.lease.arm({ at: 'row', table, nth: Math.ceil(rows / 2), kind: 'trigger' });
  const written = await w.write(rig, items);
  const { raised } = await fault.sprung();
  await fault.disarm();
  bench.record('batches refused by the engine', raised);
  const what = 'a batch with a row that the engine refused';
  mustTellOfFailure(w, items, written, what);
  mustKnow(written, what, {});
}

/** Writes the items while the connection is cut at the point, and waits until the subject has settled down. */
async function cutBatch<Item>(
  rig: Rig,
  w: Writes<Item>,
  items: readonly Item[],
  point: Point,
): Promise<{ written: Written; sprung: Sprung }> {
  const fault = await rig.lease.arm({ at: 'cut', point });
  const written = await w.write(rig, items);
  const sprung = await fault.sprung();
  await fault.disarm();
  await rig.quiet();
  return { written, sprung };
}
