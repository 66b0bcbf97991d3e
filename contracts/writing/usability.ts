import { mustFail, mustHaveStoredAll, mustSucceed, premise } from '../kernel/checks.ts';
import { type AbortKind, type ArmedFault, abortKinds, type Fault, type Point } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../kernel/guard.ts';
import { justASecondChunk, rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { claimedIds, failureOf, type Writes, type Written } from '../kernel/writes.ts';
import { Met } from './met.ts';
import { Standing } from './standing.ts';

const cuts: Record<string, Point> = {
  'before the first statement': { statement: 1 },
  'before the commit': { commit: 'before-sent' },
  'after the commit': { commit: 'after-sent' },
  'before the acknowledgement': { commit: 'before-ack' },
};

export function backendUsableAfterFailure<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/backend-usable-after-failure`,
    statement:
      'After each kind of failure the next batch on the same subject, begun at once, is stored whole and gets its own replies.',
    proves: ['failures before the next batch', 'failures', 'connection of the next batch'],
    async check(bench) {
      const standing = new Standing(bench);
      const rig = await standing.rig();
      const met = new Met();
      const { lacks } = bench.facts;
      const [several, two] = [severalChunks(bench), justASecondChunk(bench)];
      const tables = await tablesWritten(bench, w, w.items(bench, two), rig);
      const [table, rows] = Object.entries(tables)[0]!;
      const plain = w.items(bench, two);
      await premise('a second batch with no failure before it', async () =>
        mustBeServed(bench, w, rig, plain, await w.write(rig, plain), 'it'),
      );
      const after = (failure: string, plan: Plan<Item>) =>
        standing.case(`after-${caseName(failure)}`, (there) => nextIsWhole(bench, w, there, failure, plan, met));

      const unreadable = w
        .items(bench, several)
        .map((item, slot) => (slot === several - 1 ? w.unreadable(item) : item));
      await after('an unreadable item', { items: unreadable });
      bench.leaveOut('after-a-refused-row', lacks.rowFault);
      for (const kind of lacks.rowFault === undefined ? rig.lease.rowFaults : []) {
        const nth = rowAt(two - 1, two, rows);
        await after(`a refused row (${kind})`, {
          items: w.items(bench, two),
          fault: { at: 'row', table, nth, kind, once: true },
        });
      }
      bench.leaveOut('after-a-refused-commit', lacks.commitFault);
      if (lacks.commitFault === undefined) {
        await after('a refused commit', { items: w.items(bench, two), fault: { at: 'commit', table } });
      }
      bench.leaveOut('after-a-cut', lacks.cut);
      for (const [where, point] of lacks.cut === undefined ? Object.entries(cuts) : []) {
        await after(`a cut ${where}`, { items: w.items(bench, two), fault: { at: 'cut', point } });
      }
      bench.leaveOut('after-an-abort', lacks.abort);
      for (const by of lacks.abort === undefined ? abortKinds : []) {
        await after(`an abort (${by})`, { items: w.items(bench, two), fault: { at: 'abort', by } });
      }
      met.record(bench);
    },
  });
}

interface Plan<Item> {
  items: readonly Item[];
  /** What makes the batch of these items fail, once. */
  fault?: Fault;
}

/** Lets a batch fail and writes the next. Returns false where the failure was not met. */
async function nextIsWhole<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  failure: string,
  { items: bad, fault }: Plan<Item>,
  met: Met,
): Promise<boolean> {
  const watch = bench.facts.lacks.trace === undefined ? await rig.lease.watch() : undefined;
  const armed = fault && (await rig.lease.arm(fault));
  const items = w.items(bench, bad.length);
  const failing = w.write(rig, bad);
  const [failed, written] = await Promise.all([
    failing,
    // In the tick in which the failure is seen; but what the provider holds has to be let go of first.
    failing.then(async () => {
      if (isHeldByUs(fault)) await armed?.disarm();
      return w.write(rig, items);
    }),
  ]);
  const connections = new Set((await watch?.stop())?.statements.map(({ connection }) => connection));
  const sprung = armed === undefined || (await hasSprung(armed));
  await armed?.disarm();
  if (!sprung) {
    met.note({ 'not met': failure });
    return true;
  }
  const what = `the next batch after ${failure}, on the same subject`;
  if (failureOf(failed)) {
    bench.record('failures before the next batch', 1);
    met.note({ failures: failure });
  } else if (fault === undefined) {
    mustFail(w, bad, failed, `a batch with ${failure}`);
  } else {
    // It tried again and stored the batch, which is for other guards to judge.
    met.note({ 'met by another try': failure });
  }
  met.note({ 'connection of the next batch': connections.size > 1 ? 'another' : 'the same' });
  await mustBeServed(bench, w, rig, items, written, what);
  return true;
}

/** The failure in a form that a command line takes without quotes. */
function caseName(failure: string): string {
  return failure.replace(/\W+/g, '-').replace(/-$/, '');
}

/** Time-outs that the provider brings about by holding something: a lock, or what the subject says next. */
const held: ReadonlySet<AbortKind> = new Set(['lock-timeout', 'idle-timeout']);

function isHeldByUs(fault: Fault | undefined): boolean {
  return fault?.at === 'abort' && held.has(fault.by);
}

/** An engine that finds only now that it cannot raise the fault here has not raised it. */
async function hasSprung(armed: ArmedFault): Promise<boolean> {
  try {
    return (await armed.sprung()).count > 0;
  } catch (error) {
    if (error instanceof NotApplicable) return false;
    throw error;
  }
}

async function mustBeServed<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  written: Written,
  what: string,
): Promise<void> {
  mustSucceed(w, items, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, items, what);
  // Gaps and order are for the guards about ids; here a reply that belongs to another batch is looked for.
  if (bench.declaration.givesUp.ids !== undefined) return;
  const own = new Set(rows.map((row) => row.id));
  const foreign = claimedIds(written).filter((id) => !own.has(id));
  if (foreign.length > 0)
    throw new Violation(`${what}: the ids ${foreign.slice(0, 3).join(', ')} are not those of its own rows`);
}
