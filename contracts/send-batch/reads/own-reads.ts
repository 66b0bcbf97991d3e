import { mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import type { Fault } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count, sameJson, short } from '../../kernel/print.ts';
import { rowAt, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { failureOf, type StoredItem } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { decodeRow } from '../rows.ts';
import { sendWrites as w } from '../writes.ts';

/** Reads have been seen to end after 100, 500 and 1000 rows, which is what a page of them holds. */
const many = 1100;

export const ownReadsAgree: Guard = guard({
  id: 'send-batch/own-reads-agree',
  statement: "After success and after failure the backend's own read equals what is stored.",
  needs: ['read'],
  proves: ['own reads', 'failed batches', 'rows compared'],
  async check(bench) {
    const size = severalChunks(bench);
    await bench.case('after-success', async () => {
      const rig = await bench.open();
      // What is read before may be kept.
      await mustAgreeNow(bench, rig, 'before anything was sent');
      const batch = messages(bench, size);
      mustSucceed(w, batch, await w.write(rig, batch), 'a batch');
      await mustHaveStoredAll(bench, w, rig, batch, 'a batch');
      await mustAgreeNow(bench, rig, 'after a batch');
      const [one] = messages(bench, 1);
      mustSucceed(w, [one!], await w.writeOne(rig, one!), 'a single send');
      await mustAgreeNow(bench, rig, 'after a single send');
    });
    await bench.case('of-many-messages', async () => {
      const rig = await bench.open();
      const most = bench.declaration.limits.maxItems ?? many;
      for (let left = many; left > 0; left -= most) {
        const batch = messages(bench, Math.min(left, most), 'bare');
        await premise('a batch before it', async () => mustSucceed(w, batch, await w.write(rig, batch), 'it'));
      }
      await mustAgreeNow(bench, rig, `after ${count(many, 'messages')}`);
    });
    const unreadable = messages(bench, size).map((m, slot) => (slot === size - 1 ? w.unreadable(m) : m));
    await bench.case('after-an-unreadable-body', () => afterFailure(bench, unreadable, 'with an unreadable body'));
    const { rowFault, commitFault } = bench.facts.lacks;
    bench.leaveOut('after-a-refused-row', rowFault);
    bench.leaveOut('after-a-refused-commit', commitFault);
    if (rowFault !== undefined && commitFault !== undefined) return;
    const batch = messages(bench, size);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, batch))[0]!;
    if (rowFault === undefined) {
      const fault: Fault = { at: 'row', table, nth: rowAt(size - 1, size, rows), kind: 'trigger' };
      await bench.case('after-a-refused-row', () => afterFailure(bench, batch, 'whose last row was refused', fault));
    }
    if (commitFault === undefined) {
      const fault: Fault = { at: 'commit', table };
      await bench.case('after-a-refused-commit', () => afterFailure(bench, batch, 'whose commit was refused', fault));
    }
  },
});

/** Reads after a batch that fails, and again after the next one. */
async function afterFailure(bench: Bench, batch: readonly Message[], how: string, fault?: Fault): Promise<void> {
  const rig = await bench.open();
  await premise('a batch before it', async () => {
    const before = messages(bench, 3);
    mustSucceed(w, before, await w.write(rig, before), 'it');
  });
  await mustAgreeNow(bench, rig, 'after a batch');
  const armed = fault && (await rig.lease.arm(fault));
  const written = await w.write(rig, batch);
  await armed?.disarm();
  if (failureOf(written)) bench.record('failed batches', 1);
  await mustAgreeNow(bench, rig, `after a batch ${how}`);
  const next = messages(bench, 3);
  if (failureOf(await w.write(rig, next))) return;
  await mustAgreeNow(bench, rig, `after the batch that came after one ${how}`);
}

/** Fails unless what the backend reads is what the probe reads, in all fields that both show. */
async function mustAgreeNow(bench: Bench, rig: Rig, when: string): Promise<void> {
  // What settles a little later is for another guard.
  await rig.quiet();
  const settled = await rig.subject.call('read', []);
  if ('threw' in settled) throw new Violation(`${when} read() threw ${settled.threw.name}: ${settled.threw.message}`);
  if (!Array.isArray(settled.value)) throw new Violation(`${when} read() returned ${short(settled.value)}, no list`);
  const own = settled.value.map((row) => decodeRow(bench.declaration, row as Record<string, unknown>));
  const stored = await w.stored(bench, rig);
  const [ownById, storedById] = [byId(own), byId(stored)];
  const ids = [...new Set([...storedById.keys(), ...ownById.keys()])];
  const slots = ids.map((id, slot): SlotLine => {
    const [found, expected] = [ownById.get(id) ?? [], storedById.get(id) ?? []];
    const alike = found.length === expected.length && found.every((row, i) => sameWhereShown(row, expected[i]!));
    const mark = alike ? 'ok' : found.length < expected.length ? 'lost' : expected.length === 0 ? 'wrong' : 'changed';
    return { slot, mark, sent: `id ${id}`, expected: shown(expected), stored: shown(found) };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length > 0) {
    const first = bad[0]!;
    throw new Violation(
      `${when} the backend reads ${count(own.length, 'messages')} of ${stored.length} that are stored; ` +
        `${bad.length} differ, first ${first.sent}: stored is ${first.expected}, read is ${first.stored}`,
      { input: `read() ${when}`, slots },
    );
  }
  bench.record('own reads', 1);
  if (stored.length > 0) bench.record('rows compared', stored.length);
}

function byId(rows: readonly StoredItem[]): Map<string, StoredItem[]> {
  return Map.groupBy(rows, ({ id }) => id);
}

function sameWhereShown(own: StoredItem, stored: StoredItem): boolean {
  return Object.entries(own.fields).every(
    ([field, value]) => !(field in stored.fields) || sameJson(value ?? null, stored.fields[field] ?? null),
  );
}

function shown(rows: readonly StoredItem[]): string {
  return rows.map(({ fields }) => short(fields)).join('; ') || 'nothing';
}
