import { mustFail, mustHaveStoredAll, mustSucceed, mustTellOfFailure, premise } from '../kernel/checks.ts';
import type { SeenStatement } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Vacuous, Violation } from '../kernel/guard.ts';
import { linedUp } from '../kernel/lined-up.ts';
import { severalChunks, tablesWritten } from '../kernel/tables.ts';
import { declaredChunkRows, type Writes } from '../kernel/writes.ts';

/** Proof that what a guard relies on really happened: faults, chunks, distinct items, overlap. */
export function evidenceGuards<Item>(w: Writes<Item>): Guard[] {
  return [faultFires(w), chunksAreCrossed(w), itemsAreDistinct(w), raceHappened(w)];
}

function faultFires<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/fault-fires',
    statement:
      'An armed fault is raised by the engine and counted outside the transaction; once it is disarmed, the same call stores everything.',
    needs: ['rowFault'],
    proves: ['faults raised', 'controls stored'],
    async check(bench) {
      const size = severalChunks(bench);
      const tables = await tablesWritten(bench, w, w.items(bench, size));
      for (const [table, rows] of Object.entries(tables)) {
        await bench.case(table, async () => {
          const rig = await bench.open();
          const items = w.items(bench, size);
          const empty = await rig.lease.snapshot();
          const fault = await rig.lease.arm({ at: 'row', table, nth: Math.ceil(rows / 2), kind: 'trigger' });
          const written = await w.write(rig, items);
          const sprung = await fault.sprung();
          bench.record('faults raised', sprung.raised);
          if (sprung.raised === 0)
            throw new Vacuous(`the fault that was armed in ${table} was never seen to be raised`);
          await fault.disarm();
          const must = bench.declaration.givesUp.atomic === undefined ? mustFail : mustTellOfFailure;
          must(w, items, written, `a batch whose row in ${table} the engine refused`);
          // What the failed batch may have left behind, or still sends, is for other guards.
          await rig.quiet();
          await rig.lease.restore(empty);
          const fresh = await bench.open({ lease: rig.lease });
          mustSucceed(w, items, await w.write(fresh, items), 'the same batch on a fresh subject, without the fault');
          await mustHaveStoredAll(bench, w, fresh, items, 'the same batch without the fault');
          bench.record('controls stored', 1);
        });
      }
    },
  });
}

function chunksAreCrossed<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/chunks-are-crossed',
    statement: 'A batch is cut into statements as declared, seen at the driver or on the wire.',
    needs: ['trace', 'batched'],
    proves: ['statements seen'],
    async check(bench) {
      const most = bench.declaration.limits.maxItems ?? 5000;
      // A statement may write by a function that it calls, so reads count as well; what only frames a transaction does not.
      const writes = async (size: number) => {
        const statements = await statementsOf(bench, w, await bench.open(), size);
        return statements.filter((s) => !['begin', 'commit', 'rollback'].includes(s.kind)).length;
      };
      const { chunk } = bench.declaration;
      if (chunk === 'none') {
        const large = Math.min(most, 5000);
        const [one, all] = [await writes(1), await writes(large)];
        bench.record('statements seen', one);
        if (one !== all)
          throw new Violation(
            `declared chunk: 'none', yet ${large} ${w.noun} took ${all} statements where one took ${one}; declare chunk: { rows: … }`,
          );
        return;
      }
      const rows = Math.min(declaredChunkRows(bench.declaration), Math.floor((most - 1) / 2));
      const [whole, over, two, three] = [
        await writes(rows),
        await writes(rows + 1),
        await writes(2 * rows),
        await writes(2 * rows + 1),
      ];
      const below = rows > 1 ? await writes(rows - 1) : whole;
      bench.record('statements seen', whole);
      bench.record('chunks crossed', three > over ? 3 : over > whole ? 2 : 1);
      if ('params' in chunk) return;
      const steps = below === whole && over > whole && two === over && three > two;
      if (!steps) {
        throw new Violation(
          `declared chunk: { rows: ${rows} }, yet the statements were ${below} for ${Math.max(1, rows - 1)}, ${whole} for ${rows}, ${over} for ${rows + 1}, ` +
            `${two} for ${2 * rows} and ${three} for ${2 * rows + 1} ${w.noun}`,
        );
      }
    },
  });
}

/** The statements that one batch of so many items takes. */
async function statementsOf<Item>(bench: Bench, w: Writes<Item>, rig: Rig, size: number): Promise<SeenStatement[]> {
  const items = w.items(bench, size);
  const watch = await rig.lease.watch();
  const written = await w.write(rig, items);
  const { statements } = await watch.stop();
  await premise('the batch whose statements it counts', () => mustSucceed(w, items, written, `a batch of ${size}`));
  return statements;
}

function itemsAreDistinct<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/items-are-distinct',
    statement:
      "Every value of every generated item differs from its neighbours', so that no fault can hide behind equal values.",
    proves: ['values compared'],
    async check(bench) {
      const items = w.items(bench, 60);
      const tokens = new Set(items.map((item) => w.token(item)));
      if (tokens.size !== items.length)
        throw new Vacuous(`${items.length - tokens.size} generated ${w.noun} share a nonce`);
      for (let slot = 1; slot < items.length; slot++) {
        const before = w.values(items[slot - 1]!);
        for (const [field, value] of Object.entries(w.values(items[slot]!))) {
          const neighbour = before[field];
          bench.record('values compared', 1);
          if (JSON.stringify(value) === JSON.stringify(neighbour))
            throw new Vacuous(`slots ${slot - 1} and ${slot} have the same ${field}: ${JSON.stringify(value)}`);
        }
      }
    },
  });
}

function raceHappened<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/race-happened',
    statement: 'Two subjects in two hosts really run at the same time, seen by overlapping statements.',
    needs: ['twoHosts', 'trace'],
    needsThread: true,
    exclusive: true,
    proves: ['calls overlapped'],
    async check(bench) {
      const lease = await bench.lease();
      const left = await bench.open({ lease });
      const right = await bench.open({ lease, anotherHost: true });
      // Where there is no lock to line them up before, it is repeated with larger batches until it is seen.
      const attempts = bench.facts.lacks.lock === undefined ? 1 : 6;
      let overlaps = 0;
      for (let attempt = 0; attempt < attempts && overlaps === 0; attempt++) {
        const size = Math.min(200 * 2 ** attempt, bench.declaration.limits.maxItems ?? 3200);
        // One subject alone may use several connections at once; two that race use more.
        const alone = [await statementsOf(bench, w, left, size), await statementsOf(bench, w, right, size)];
        const watch = await lease.watch();
        await linedUp({ facts: bench.facts, lease, sessions: 2 }, () =>
          Promise.all([left, right].map((rig) => w.write(rig, w.items(bench, size)))),
        );
        const together = mostAtWork((await watch.stop()).statements);
        if (together > Math.max(...alone.map(mostAtWork))) overlaps += 1;
      }
      bench.record('calls overlapped', overlaps);
    },
  });
}

/** The most connections that were at work at the same time, each from its first statement to its last. */
function mostAtWork(statements: readonly SeenStatement[]): number {
  const spans = new Map<number, { from: number; to: number }>();
  for (const s of statements) {
    const span = spans.get(s.connection);
    spans.set(s.connection, {
      from: Math.min(span?.from ?? s.startedMs, s.startedMs),
      to: Math.max(span?.to ?? s.endedMs, s.endedMs),
    });
  }
  const list = [...spans.values()];
  return Math.max(0, ...list.map(({ from }) => list.filter((other) => other.from <= from && from < other.to).length));
}
