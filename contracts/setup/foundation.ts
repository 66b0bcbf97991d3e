import { byToken, cameLate, failureText, mustHaveStoredAll, premise } from '../kernel/checks.ts';
import type { Snapshot } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import { failureOf, grown, type Writes } from '../kernel/writes.ts';

/** What every other verdict rests on: the probe reads a namespace to which nobody else writes, and a batch is stored. */
export function foundationGuards<Item>(w: Writes<Item>): Guard[] {
  return [namespaceExists(w), probeIsIndependent(w), probeSeesATornBatch(w), namespacesAreIsolated(w), batchIsSeen(w)];
}

function namespaceExists<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/namespace-exists',
    statement: 'Opening creates the namespace, and one that was never created reads as missing, never as empty.',
    foundation: true,
    proves: ['namespace seen'],
    async check(bench) {
      const rig = await bench.open({ uncreated: true });
      const onDemand = bench.declaration.namespaces === 'onDemand' || bench.facts.lacks.namespaces !== undefined;
      if (onDemand) {
        const [item] = w.items(bench, 1);
        await writeOne(w, rig, item!);
        await mustHaveStoredAll(bench, w, rig, [item!], 'a single write to a namespace that appears on demand');
        bench.record('namespace seen', 1);
        return;
      }
      await bench.case('created-by-open', async () => {
        const found = await rig.read();
        if ('missing' in found) throw new Violation(`open created nothing: the probe misses ${found.missing}`);
        if (found.rows.length > 0)
          throw new Violation(`a namespace just created already holds ${count(found.rows.length, 'rows')}`);
        bench.record('namespace seen', 1);
      });
      await bench.case('missing-when-removed', async () => {
        await rig.lease.wipe();
        const found = await rig.read();
        if ('rows' in found) {
          throw new Violation(
            `the namespace was removed, yet the probe says that it holds ${count(found.rows.length, 'rows')} instead of that it is missing`,
          );
        }
        bench.record('namespace seen missing', 1);
      });
    },
  });
}

function probeIsIndependent<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/probe-is-independent',
    statement:
      'The probe reads the engine: it sees a row that was written around the subject, and misses it once it was deleted raw.',
    foundation: true,
    proves: ['rows deleted raw', 'rows written raw'],
    async check(bench) {
      const rig = await bench.open();
      const items = w.items(bench, 1);
      const tokens = items.map((item) => w.token(item));
      await mustFind(bench, w, rig, [], tokens, 'before anything was written');
      const empty = await rig.lease.snapshot();
      await writeOne(w, rig, items[0]!);
      const full = await rig.lease.snapshot();
      await mustHaveGrown(bench, w, rig, items, [empty, full]);
      await mustFind(bench, w, rig, tokens, tokens, 'that the engine holds, so the probe does not read the engine');
      await rig.lease.restore(empty);
      await mustFind(bench, w, rig, [], tokens, 'after its row was deleted raw, so the probe does not read the engine');
      bench.record('rows deleted raw', 1);
      await rig.lease.restore(full);
      await mustFind(
        bench,
        w,
        rig,
        tokens,
        tokens,
        'after its row was written raw, so the probe does not read the engine as it is now',
      );
      bench.record('rows written raw', 1);
    },
  });
}

function probeSeesATornBatch<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/probe-sees-a-torn-batch',
    statement: 'Of half a batch that was written raw, the probe reports exactly that half.',
    foundation: true,
    proves: ['halves compared'],
    async check(bench) {
      const rig = await bench.open();
      const items = w.items(bench, 6);
      const tokens = items.map((item) => w.token(item));
      const snapshots: Snapshot[] = [await rig.lease.snapshot()];
      for (const item of items) {
        await writeOne(w, rig, item);
        snapshots.push(await rig.lease.snapshot());
      }
      await mustHaveGrown(bench, w, rig, items, [snapshots[0]!, snapshots[6]!]);
      for (const half of [3, 1, 5]) {
        await rig.lease.restore(snapshots[half]!);
        await mustFind(bench, w, rig, tokens.slice(0, half), tokens, `with ${half} of 6 written raw`);
        bench.record('halves compared', 1);
      }
    },
  });
}

function namespacesAreIsolated<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/namespaces-are-isolated',
    statement: 'Two leases taken at once never see each other, nor does restoring one clear the other.',
    foundation: true,
    proves: ['rows in each lease'],
    async check(bench) {
      const left = await bench.open();
      const right = await bench.open();
      const leftEmpty = await left.lease.snapshot();
      const [mine] = w.items(bench, 1);
      const [yours] = w.items(bench, 1);
      const tokens = [w.token(mine!), w.token(yours!)];
      await writeOne(w, left, mine!);
      await mustFind(bench, w, right, [], tokens, 'on the second lease, where nothing was written');
      await writeOne(w, right, yours!);
      await mustFind(bench, w, left, [tokens[0]!], tokens, 'on the first lease, after a write on the second');
      await left.lease.restore(leftEmpty);
      await mustFind(bench, w, right, [tokens[1]!], tokens, 'on the second lease, after the first was restored');
      await mustFind(bench, w, left, [], tokens, 'on the first lease, after it was restored');
      bench.record('rows in each lease', 1);
    },
  });
}

function batchIsSeen<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/batch-is-seen',
    statement: 'A plain batch is stored, and can be seen when its call has settled.',
    foundation: true,
    proves: ['items seen'],
    async check(bench) {
      const rig = await bench.open();
      const items = w.items(bench, severalChunks(bench));
      const what = `a plain batch of ${count(items.length, w.noun)}`;
      const failure = failureOf(await w.write(rig, items));
      if (failure) throw new Violation(`${what} failed: ${failureText(failure)}`);
      const found = byToken(await w.stored(bench, rig));
      const missing = items.filter((item) => !found.has(w.token(item)));
      const late = await cameLate(bench, w, rig, missing);
      // Where only a part is lost, the guards about it say which.
      if (late || missing.length === items.length) {
        throw new Violation(`of ${what}, which is reported as stored, ${missing.length} are not stored${late ?? ''}`);
      }
      bench.record('items seen', items.length - missing.length);
    },
  });
}

/** Writes one item that the guard needs to be there; that single writes work at all is another guard's rule. */
function writeOne<Item>(w: Writes<Item>, rig: Rig, item: Item): Promise<void> {
  return premise('the single write that it begins with', async () => {
    const failure = failureOf(await w.writeOne(rig, item));
    if (failure) throw new Violation(failureText(failure));
  });
}

/** Fails unless the probe finds exactly `expected` of the items that `among` names. */
async function mustFind<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  expected: string[],
  among: string[],
  when: string,
): Promise<void> {
  const found = byToken(await w.stored(bench, rig));
  for (const token of among) {
    const rows = found.get(token)?.length ?? 0;
    const wanted = expected.includes(token) ? 1 : 0;
    if (rows === wanted) continue;
    const is = rows === 0 ? 'the probe does not see an item' : `the probe reports ${count(rows, 'rows')} of an item`;
    throw new Violation(
      `${is} ${when} (item ${among.indexOf(token)} of ${among.length}; expected ${count(wanted, 'rows')})`,
    );
  }
}

async function mustHaveGrown<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  [before, after]: readonly [Snapshot, Snapshot],
): Promise<void> {
  if (Object.keys(grown(before, after)).length > 0) return;
  const late = await cameLate(bench, w, rig, items);
  if (late)
    throw new Violation(
      `written by the single path, ${items.length} of ${count(items.length, w.noun)} are not stored${late}`,
    );
  throw new Violation(
    'a write adds no row to any table of the engine: does the backend open the site that it was given, ' +
      'and does it commit before its call returns?',
  );
}
