import { byToken, failureText, mustFail } from '../kernel/checks.ts';
import type { Point, Sprung } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeWholeOrNone, mustClaimWhatIsThere, toldOf, type WholeOrNone } from '../kernel/whole-or-none.ts';
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
    needs: ['atomic', 'cut', 'trace'],
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
          const { whole: stored } = await wholeAfterCut(bench, w, items, { commit: place }, places[place], whole);
          if (place === 'before-ack') bench.record('commits whose acknowledgement was lost', stored ? 1 : 0);
        });
      }
    },
  });
}

async function wholeAfterCut<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  point: Point,
  where: string,
  whole: Record<string, number>,
): Promise<WholeOrNone> {
  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  const { written, sprung } = await cutBatch(rig, w, items, point);
  const what = `a batch whose connection was cut ${where}`;
  bench.record('cuts', sprung.count);
  const found = await mustBeWholeOrNone(bench, w, rig, items, what);
  const { up, down } = sprung.passed ?? { up: 0, down: 0 };
  bench.record(
    `cut ${where}`,
    `${up} bytes to the engine and ${down} back had passed; ${found.whole ? count(items.length, 'rows') : 'no row'} of it in the engine`,
  );
  mustClaimWhatIsThere(w, items, written, found, what);
  const more = grown(before, await rig.lease.snapshot());
  const expected = found.whole ? whole : {};
  if (!sameCounts(more, expected)) {
    throw new Violation(
      `${what} left ${rowsText(more)}; a batch that is ${found.whole ? 'whole' : 'not there'} has ${rowsText(expected)}`,
    );
  }
  return found;
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
    needs: ['atomic', 'cut'],
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
          const told = toldOf(w, items, written, what);
          bench.record(`cut ${places[place]}`, `told as ${told}, ${there > 0 ? 'stored' : 'not stored'}`);
          if (told !== 'failed' || there === 0) return;
          throw new Violation(
            `${what} is told as failed (${failureText(failureOf(written)!)}), but ${there} of its ${count(items.length, w.noun)} are stored: ` +
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

/** Where no answer was lost, the caller is owed a plain one. */
async function refusedIsNotUnknown<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[]): Promise<void> {
  const [table, rows] = Object.entries(await tablesWritten(bench, w, items))[0]!;
  const rig = await bench.open();
  const fault = await rig.lease.arm({ at: 'row', table, nth: Math.ceil(rows / 2), kind: 'trigger' });
  const written = await w.write(rig, items);
  const { raised } = await fault.sprung();
  await fault.disarm();
  bench.record('batches refused by the engine', raised);
  mustFail(w, items, written, 'a batch with a row that the engine refused');
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
