import { mustAgree, mustHaveStoredAll } from '../kernel/checks.ts';
import type { Snapshot } from '../kernel/engine.ts';
import { type Bench, type Rig, Violation } from '../kernel/guard.ts';
import { sameJson, short } from '../kernel/print.ts';
import { failureOf, grown, type StoredBy, type StoredItem, type Written } from '../kernel/writes.ts';
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
  mustHaveAdded(found.tables, expected.tables, what, as);
}

/** What some calls told of their messages, where not each of them need be stored, and the rows that tables have got. */
export interface Told {
  messages: readonly Message[];
  /** For each message what its outcome says, and which message the row holds that the outcome names. */
  outcomes: string[];
  tables: Record<string, number>;
}

export async function toldBy(bench: Bench, rig: Rig, before: Snapshot, sent: readonly Sent[]): Promise<Told> {
  const tokenOf = new Map((await w.stored(bench, rig)).map(({ id, token }) => [id, token]));
  const messages = sent.flatMap(({ batch }) => batch);
  const holder = (id: string | null) => messages.findIndex((message) => w.token(message) === tokenOf.get(id ?? ''));
  const outcomes = sent.flatMap(({ by }) => {
    if (failureOf(by)) return ['failed'];
    return by.outcomes!.map((outcome) => {
      const [kind, id] = 'stored' in outcome ? ['stored', outcome.stored] : ['duplicate', idOf(outcome)];
      return id === null ? `${kind}, without an id` : `${kind}, by the id of a row that holds message ${holder(id)}`;
    });
  });
  return { messages, outcomes, tables: grown(before, await rig.lease.snapshot()) };
}

function idOf(outcome: object): string | null {
  return 'duplicate' in outcome ? (outcome.duplicate as string | null) : null;
}

/** Fails unless the same was told of the same messages, and as many rows were added; `as` says how the others were sent. */
export function mustTell(found: Told, expected: Told, what: string, as: string): void {
  const differences = found.messages.map((_, slot) => {
    const [told, other] = [found.outcomes[slot], expected.outcomes[slot]];
    return told === other ? [] : [{ field: 'outcome', expected: other, found: told }];
  });
  mustAgree(w, found.messages, differences, what, `told as ${as}`);
  mustHaveAdded(found.tables, expected.tables, what, as);
}

function mustHaveAdded(found: Left['tables'], expected: Left['tables'], what: string, as: string): void {
  if (sameJson(found, expected)) return;
  throw new Violation(`${what} adds ${short(found)} rows; ${as}, its messages add ${short(expected)}`);
}
