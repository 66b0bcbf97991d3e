import { byToken, mustSucceed, premise } from '../kernel/checks.ts';
import type { Point } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type OpenOptions, type Rig, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import { mustBeWholeOrNone, mustClaimWhatIsThere } from '../kernel/whole-or-none.ts';
import { failureOf, type Writes, type Written } from '../kernel/writes.ts';
import { statementsOf } from './plain-batch.ts';

/**
 * A log that is written a moment later is lost nearly every time when the kill comes at once. One round may be lucky;
 * but the kills inside a batch follow an acknowledged one as well.
 */
const rounds = 2;
/** A batch where its size does not matter. */
const fewItems = 11;

export function acknowledgedSurvivesCrash<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/acknowledged-survives-crash`,
    statement:
      'After kill -9 of the process that hosts the engine and a restart, an acknowledged batch is there whole, and an unacknowledged one whole or not at all. (Shows that it had left the process, not that it was synced to disk.)',
    needs: ['durable', 'crash', 'trace'],
    exclusive: true,
    proves: ['kills after an acknowledgement', 'kills inside a batch', 'recovered'],
    async check(bench) {
      await bench.case('once-acknowledged', () => killOnceAcknowledged(bench, w));
      const items = w.items(bench, severalChunks(bench));
      const few = w.items(bench, fewItems);
      const statements = (await statementsOf(bench, w, items)).length;
      if (statements > 1) {
        const statement = Math.ceil(statements / 2) + 1;
        const where = `before statement ${statement} of ${statements}`;
        await bench.case('in-the-middle', () => killInside(bench, w, items, { statement }, where));
      }
      await bench.case('before-its-commit', () =>
        killInside(bench, w, few, { commit: 'before-sent' }, 'before its commit was sent'),
      );
      await bench.case('before-its-acknowledgement', () =>
        killInside(bench, w, few, { commit: 'before-ack' }, 'before its acknowledgement'),
      );
    },
  });
}

async function killOnceAcknowledged<Item>(bench: Bench, w: Writes<Item>): Promise<void> {
  const { items, tables } = await inManyTables(bench, w);
  const acknowledged: Acknowledged<Item>[] = [];
  let rig = await bench.open({ mayDie: true });
  const empty = await rig.lease.snapshot();
  for (let round = 1; round <= rounds; round++) {
    acknowledged.push(await acknowledge(w, rig, items()));
    const settled = performance.now();
    const { pids } = await rig.lease.crash();
    const milliseconds = Math.round(performance.now() - settled);
    bench.record('kills after an acknowledgement', pids.length > 0 ? 1 : 0);
    bench.record(`kill ${round}`, `SIGKILL to ${pids.join(', ')}, gone ${milliseconds} ms after the acknowledgement`);
    bench.record('recovered', await rig.lease.recover());
    const when = `the engine was killed within ${milliseconds} ms of the acknowledgement`;
    // The next round kills the subject that looks here.
    rig = await mustBeThere(bench, w, { lease: rig.lease, mayDie: round < rounds }, acknowledged, when);
    const now = await rig.lease.snapshot();
    for (const [table, rows] of Object.entries(tables)) {
      const gone = (empty.tables[table] ?? 0) + round * rows - (now.tables[table] ?? 0);
      if (gone > 0) {
        const added = count(round * rows, 'rows');
        throw new Violation(`of ${added} that acknowledged batches added to ${table}, ${gone} are gone after ${when}`);
      }
    }
    bench.record('tables counted', Object.keys(tables).join(', '));
  }
}

interface InManyTables<Item> {
  items(): Item[];
  /** The rows that such a batch adds to each table. */
  tables: Record<string, number>;
}

/** Batches that write to as many tables as they can: those that ask for all that is offered, where these are stored. */
async function inManyTables<Item>(bench: Bench, w: Writes<Item>): Promise<InManyTables<Item>> {
  const rig = await bench.open();
  const empty = await rig.lease.snapshot();
  const plain = () => w.items(bench, fewItems);
  const full = () => w.withEveryOffer?.(bench, plain()) ?? plain();
  const items = failureOf(await w.write(rig, full())) === undefined ? full : plain;
  await rig.lease.restore(empty);
  return { items, tables: await tablesWritten(bench, w, items(), rig) };
}

/** Kills the engine inside a batch that follows an acknowledged one. */
async function killInside<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  point: Point,
  where: string,
): Promise<void> {
  const rig = await bench.open({ mayDie: true });
  const acknowledged = await acknowledge(w, rig, w.items(bench, fewItems));
  const fault = await rig.lease.arm({ at: 'crash', point });
  const written = await w.write(rig, items);
  const { count: kills } = await fault.sprung();
  bench.record('kills inside a batch', kills);
  bench.record('recovered', await rig.lease.recover());
  await fault.disarm();
  const what = `a batch inside which the engine was killed, ${where}`;
  const again = await mustBeThere(
    bench,
    w,
    rig,
    [acknowledged],
    `the engine was killed inside the next batch, ${where}`,
  );
  if (bench.declaration.givesUp.atomic !== undefined) {
    const { stored } = await mustBeTrue(bench, w, again, items, written, what, { answerLost: true });
    bench.record(`killed ${where}`, `${stored} stored`);
    return;
  }
  const found = await mustBeWholeOrNone(bench, w, again, items, what);
  bench.record(`killed ${where}`, found.whole ? 'stored' : 'not stored');
  mustClaimWhatIsThere(w, items, written, found, what);
}

interface Acknowledged<Item> {
  items: readonly Item[];
  written: Written;
}

/** Writes a batch that the subject says is stored. */
async function acknowledge<Item>(w: Writes<Item>, rig: Rig, items: readonly Item[]): Promise<Acknowledged<Item>> {
  const written = await w.write(rig, items);
  await premise('the batch before the kill', () => mustSucceed(w, items, written, 'it'));
  return { items, written };
}

/** Opens a fresh subject on what the crash left, and fails the guard unless the batches are there whole. */
async function mustBeThere<Item>(
  bench: Bench,
  w: Writes<Item>,
  options: OpenOptions,
  batches: readonly Acknowledged<Item>[],
  when: string,
): Promise<Rig> {
  const again = await bench.open(options);
  const stored = byToken(await w.stored(bench, again));
  for (const { items, written } of batches) {
    const gone = items.filter((item) => !stored.has(w.token(item))).length;
    if (gone > 0) throw new Violation(`${gone} of ${items.length} acknowledged ${w.noun} are gone after ${when}`);
    const what = `an acknowledged batch, after ${when}`;
    mustClaimWhatIsThere(w, items, written, await mustBeWholeOrNone(bench, w, again, items, what), what);
  }
  return again;
}
