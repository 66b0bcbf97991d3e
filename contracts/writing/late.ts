import { failureText, mustSucceed } from '../kernel/checks.ts';
import type { SlotLine } from '../kernel/counterexample.ts';
import type { SeenStatement, Snapshot, Watch } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count, cut, short } from '../kernel/print.ts';
import { rowAt, severalChunks, tablesWritten } from '../kernel/tables.ts';
import { failureOf, type StoredItem, type Writes, type Written } from '../kernel/writes.ts';
import { type Span, unawaited } from './unawaited.ts';

export function nothingArrivesLate<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/nothing-arrives-late`,
    statement:
      "After a call has settled and the subject's connections and timers are quiet, nothing has appeared, changed or disappeared.",
    proves: ['snapshots compared', 'quiescence', 'milliseconds between'],
    async check(bench) {
      const size = severalChunks(bench);
      await bench.case('after-a-success', async () => {
        const rig = await bench.open();
        const items = w.items(bench, size);
        const sent = await send(bench, w, rig, items);
        mustSucceed(w, items, sent.written, 'a batch');
        await staysAsItIs(bench, w, rig, sent, 'a batch that was stored');
      });
      // After its last row there may be nothing left to send; after its first one all the others are on their way.
      for (const [name, slot] of [
        ['after-a-refused-row', size - 1],
        ['after-a-refused-first-row', 0],
      ] as const) {
        bench.leaveOut(name, bench.facts.lacks.rowFault);
        if (bench.facts.lacks.rowFault !== undefined) continue;
        await bench.case(name, async () => {
          const rig = await bench.open();
          const items = w.items(bench, size);
          const [table, rows] = Object.entries(await tablesWritten(bench, w, items, rig))[0]!;
          const nth = rowAt(slot, size, rows);
          // What comes after the first row is let through, or no straggler could arrive.
          const fault = await rig.lease.arm({ at: 'row', table, nth, kind: 'trigger', once: slot === 0 });
          const sent = await send(bench, w, rig, items);
          const first = await look(bench, w, rig);
          await fault.disarm();
          await staysAsItIs(bench, w, rig, sent, `a batch that failed${because(sent.written)}`, first);
        });
      }
      await bench.case('after-an-unreadable-item', async () => {
        const rig = await bench.open();
        const items = w.items(bench, size).map((item, slot) => (slot === size - 1 ? w.unreadable(item) : item));
        const sent = await send(bench, w, rig, items);
        await staysAsItIs(bench, w, rig, sent, `a batch that was refused${because(sent.written)}`);
      });
    },
  });
}

interface Sent<Item> extends Span {
  items: readonly Item[];
  written: Written;
  /** Absent where the statements cannot be seen. */
  watch: Watch | undefined;
}

/** Writes a batch, and goes on watching when its call has settled. */
async function send<Item>(bench: Bench, w: Writes<Item>, rig: Rig, items: readonly Item[]): Promise<Sent<Item>> {
  const watch = bench.facts.lacks.trace === undefined ? await rig.lease.watch() : undefined;
  const startedMs = now();
  const written = await w.write(rig, items, { holdTimers: true });
  return { items, written, watch, startedMs, settledMs: now() };
}

/** The clock of the statements. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function because(written: Written): string {
  const failure = failureOf(written);
  return failure ? ` (${failureText(failure)})` : '';
}

/** Looks once, waits until the subject is quiet, and looks again; what came before the first look its statements tell. */
async function staysAsItIs<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  { items, watch, ...call }: Sent<Item>,
  after: string,
  seen?: Look,
): Promise<void> {
  const first = seen ?? (await look(bench, w, rig));
  const quiet = await rig.quiet();
  const second = await look(bench, w, rig);
  const statements = (await watch?.stop())?.statements ?? [];
  bench.record('snapshots compared', 2);
  bench.record('quiescence', `${quiet.engine}; ${count(quiet.timers, 'timers')} of the subject fired meanwhile`);
  bench.record('milliseconds between', Math.ceil(second.at - first.at));
  const differences = differencesOf(first, second);
  if (differences.length === 0 && quiet.unfinished) {
    throw new Violation(
      `after ${after}, when its call had settled, the subject did not come to an end within ${(quiet.milliseconds / 1000).toFixed(1)} s: ${quiet.engine}`,
    );
  }
  if (differences.length === 0) return mustHaveBeenAwaited(statements, call, after);
  const slotOf = new Map(items.map((item, slot) => [w.token(item), slot]));
  throw new Violation(
    `after ${after}, when its call had settled, ${differences
      .map(({ text }) => text)
      .slice(0, 3)
      .join('; ')}`,
    {
      input: `${count(items.length, w.noun)}, seen when the call had settled and again when the subject was quiet`,
      slots: differences.flatMap(({ token, before, now }): SlotLine[] => {
        const slot = slotOf.get(token ?? '');
        if (slot === undefined) return [];
        return [{ slot, mark: 'changed', sent: w.print(items[slot]!), expected: before, stored: now }];
      }),
    },
  );
}

function mustHaveBeenAwaited(statements: readonly SeenStatement[], call: Span, after: string): void {
  const [first, ...others] = unawaited(statements, call);
  if (!first) return;
  const more = others.length > 0 ? `, and ${others.length} more did so` : '';
  throw new Violation(
    `after ${after}, when its call had settled, the engine was still at what it had begun during the call: ` +
      `${short(first.text)} took effect ${(first.endedMs - call.settledMs).toFixed(1)} ms later` +
      ` (connection ${first.connection})${more}`,
  );
}

interface Look {
  at: number;
  snapshot: Snapshot;
  stored: StoredItem[];
}

async function look<Item>(bench: Bench, w: Writes<Item>, rig: Rig): Promise<Look> {
  const at = performance.now();
  const snapshot = await rig.lease.snapshot();
  return { at, snapshot, stored: await w.stored(bench, rig) };
}

interface LateChange {
  text: string;
  token?: string | undefined;
  before: string;
  now: string;
}

/** Row by row, by id; and for tables that the probe does not read, by how many rows there are. */
function differencesOf(first: Look, second: Look): LateChange[] {
  const [before, now] = [byId(first.stored), byId(second.stored)];
  const changes: LateChange[] = [];
  for (const [id, row] of now) {
    const old = before.get(id);
    if (old === row) continue;
    const token = second.stored.find((s) => s.id === id)?.token;
    const text = old === undefined ? `row ${id} appeared` : `row ${id} changed`;
    changes.push({ text, token, before: old === undefined ? 'nothing' : cut(old, 60), now: cut(row, 60) });
  }
  for (const [id, row] of before) {
    if (now.has(id)) continue;
    const token = first.stored.find((s) => s.id === id)?.token;
    changes.push({ text: `row ${id} disappeared`, token, before: cut(row, 60), now: 'nothing' });
  }
  for (const table of new Set([...Object.keys(first.snapshot.tables), ...Object.keys(second.snapshot.tables)])) {
    const [old, rows] = [first.snapshot.tables[table] ?? 0, second.snapshot.tables[table] ?? 0];
    if (old === rows) continue;
    changes.push({
      text: `${table} went from ${count(old, 'rows')} to ${rows}`,
      before: String(old),
      now: String(rows),
    });
  }
  return changes;
}

function byId(stored: readonly StoredItem[]): Map<string, string> {
  return new Map(stored.map(({ id, fields }) => [id, short(fields, Number.POSITIVE_INFINITY)]));
}
