import { mustAgree, mustHaveStoredAll } from '../kernel/checks.ts';
import type { Snapshot } from '../kernel/engine.ts';
import { type Bench, type Rig, Violation } from '../kernel/guard.ts';
import { sameJson, short } from '../kernel/print.ts';
import { grown, type StoredBy, type StoredItem, type Written } from '../kernel/writes.ts';
import type { Message } from './port.ts';
import { sendWrites as w } from './writes.ts';

/** Messages, and the call that sent them. */
export interface Sent {
  batch: readonly Message[];
  by: Written;
}

/** All that some messages have left in the engine. */
export interface Left {
  messages: Message[];
  rows: StoredBy[];
  /** The tables that have got rows, and how many. */
  tables: Record<string, number>;
  /** What the status table says of each message, where there is one. */
  statuses: string[];
}

/** Reads what these messages have left; each of them must be stored once. */
export async function leftBy(
  bench: Bench,
  rig: Rig,
  before: Snapshot,
  sent: readonly Sent[],
  what: string,
): Promise<Left> {
  const batch = sent.flatMap((one) => one.batch);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  const calls = sent.flatMap((one) => one.batch.map(() => one.by));
  return {
    messages: batch,
    rows: rows.map((row, slot) => ({ row, by: calls[slot]! })),
    tables: grown(before, await rig.lease.snapshot()),
    statuses: await statusesOf(bench, rig, rows),
  };
}

async function statusesOf(bench: Bench, rig: Rig, rows: readonly StoredItem[]): Promise<string[]> {
  if (!bench.statements.statuses) return [];
  const found = await rig.read('statuses');
  if ('missing' in found) throw new Violation(`the status table is not there: ${found.missing}`);
  return rows.map(({ id }) => {
    const own = found.rows.filter(({ messageId }) => String(messageId) === id);
    return own.map(({ status }) => String(status)).join(', ') || 'no row';
  });
}

/** Fails unless the same messages have left the same in every table, ids aside; `as` says how the others were sent. */
export async function mustHaveLeft(bench: Bench, found: Left, expected: Left, what: string, as: string): Promise<void> {
  const { messages } = found;
  mustAgree(w, messages, await w.rowDifferences(bench, found.rows, expected.rows), what, `stored as ${as}`);
  const statuses = messages.map((_, slot) => {
    const [expectedStatus, status] = [expected.statuses[slot], found.statuses[slot]];
    return status === expectedStatus ? [] : [{ field: 'status', expected: expectedStatus, found: status }];
  });
  mustAgree(w, messages, statuses, what, `in the status table as ${as}`);
  if (!sameJson(found.tables, expected.tables)) {
    throw new Violation(`${what} adds ${short(found.tables)} rows; ${as}, its messages add ${short(expected.tables)}`);
  }
}
