import { byToken, failureText, mustCount } from '../../kernel/checks.ts';
import type { SlotLine, SlotMark } from '../../kernel/counterexample.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { type Failure, failureChain, type Outcome } from '../../kernel/outcome.ts';
import { count, short } from '../../kernel/print.ts';
import { failureOf, type StoredItem, type Written } from '../../kernel/writes.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { type Held, keyIdentity } from './keyed.ts';

/** A row as it has to be in the end. */
interface Row {
  /** The message whose content it holds. */
  content: Message;
  /** Known where it was there before the batch. */
  id?: string;
}

/** What has to become of one message. */
interface Fate {
  kind: 'stored' | 'duplicate';
  row: Row;
}

/** What has to become of a batch, message by message, when the keys of some rows are taken: by `skip` or `replace`. */
function fatesOf(bench: Bench, held: readonly Held[], batch: readonly Message[]): Fate[] {
  const rows = new Map(
    held.map(({ message, id }): [unknown, Row] => [keyIdentity(bench, message), { content: message, id }]),
  );
  return batch.map((message) => {
    const key = keyIdentity(bench, message);
    const row = rows.get(key);
    if (row === undefined) {
      const own: Row = { content: message };
      rows.set(key, own);
      return { kind: 'stored', row: own };
    }
    if (bench.declaration.keyPolicy === 'replace') row.content = message;
    return { kind: 'duplicate', row };
  });
}

/** The slots whose key is taken already, or stands earlier in the batch. */
function takenSlots(bench: Bench, held: readonly Held[], batch: readonly Message[]): number[] {
  const taken = new Set(held.map(({ message }) => keyIdentity(bench, message)));
  return batch.flatMap((message, slot) => {
    const key = keyIdentity(bench, message);
    if (taken.has(key)) return [slot];
    taken.add(key);
    return [];
  });
}

/** Writes a batch, and fails the guard unless it went by the declared policy. */
export async function goesByThePolicy(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  batch: readonly Message[],
  what: string,
  { otherBodies = false } = {},
): Promise<void> {
  const written = await w.write(rig, batch);
  // Where a key is bound to the content that it was first sent with, another content may be refused as well.
  if (otherBodies && failureOf(written)) await mustBeAsBefore(bench, rig, held, batch, written, what);
  else await mustFollowThePolicy(bench, rig, held, batch, written, what);
}

/**
 * Fails the guard unless a batch went by the declared policy, some of whose keys are taken: `held` are the rows that
 * took them. All messages have a key.
 */
export async function mustFollowThePolicy(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  const { keyPolicy } = bench.declaration;
  const taken = takenSlots(bench, held, batch);
  if (keyPolicy === 'refuse' && taken.length > 0) return mustBeRefused(bench, rig, held, batch, written, what);
  const failure = failureOf(written);
  if (failure) {
    const why = keyPolicy === 'replace' ? 'takes the content of the row' : 'is told as a duplicate';
    throw new Violation(
      `${what} failed: ${failureText(failure)}; by keyPolicy ${keyPolicy} a message whose key is taken ${why}`,
    );
  }
  mustCount(w, batch, written, what);
  const fates = fatesOf(bench, held, batch);
  const found = byToken(await w.stored(bench, rig));
  const slots = batch.map((message, slot) =>
    judged(bench, message, slot, fates[slot]!, written.outcomes![slot]!, found),
  );
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  const first = bad[0]!;
  throw new Violation(
    `${what}: ${bad.length} of ${count(batch.length, 'messages')} did not fare as keyPolicy ${keyPolicy} has it; ` +
      `first in slot ${first.slot}: expected ${first.expected}, found ${first.stored}`,
    { input: `${count(batch.length, 'messages')}, ${what}`, slots },
  );
}

function judged(
  bench: Bench,
  message: Message,
  slot: number,
  { kind, row }: Fate,
  outcome: Outcome,
  found: ReadonlyMap<string, StoredItem[]>,
): SlotLine {
  const sent = w.print(message);
  const line = (mark: SlotMark, expected: string, stored: string): SlotLine => ({ slot, mark, sent, expected, stored });
  const token = w.token(row.content);
  const rows = found.get(token) ?? [];
  const holds = token === w.token(message) ? 'its content' : `the content of ${token}`;
  if (rows.length !== 1) {
    const mark = rows.length > 1 ? 'duplicated' : 'lost';
    return line(mark, `one row under its key, with ${holds}`, `${count(rows.length, 'rows')} with ${holds}`);
  }
  const { id } = rows[0]!;
  if (row.id !== undefined && id !== row.id)
    return line('changed', `row ${row.id}, which has its key, with ${holds}`, `${holds} in row ${id}`);
  if (token !== w.token(message) && found.has(w.token(message)))
    return line('duplicated', `nothing of its content, since row ${id} has its key`, 'a row with its content');
  const told = short(outcome);
  if (kind === 'stored') return line('stored' in outcome ? 'ok' : 'wrong', 'an outcome that says stored', told);
  const promised = bench.declaration.givesUp.ids === undefined;
  const named = 'duplicate' in outcome && (!promised || outcome.duplicate === id);
  if (!named) return line('wrong', promised ? `an outcome that says duplicate, with id ${id}` : 'duplicate', told);
  if (token !== w.token(message) && echoes(outcome, message))
    return line('wrong', 'an outcome without a content that is not stored', told);
  return line('ok', `duplicate of row ${id}`, told);
}

function echoes(outcome: Outcome, message: Message): boolean {
  return new RegExp(`${w.token(message)}(?![0-9])`).test(JSON.stringify(outcome));
}

/** Fails the guard unless the batch was refused, naming a message whose key is taken, and left the rows as they were. */
async function mustBeRefused(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  const failures = failuresIn(written);
  if (failures.length === 0)
    throw new Violation(`${what} was reported as a success, although keyPolicy refuse is declared`);
  const keys = new Set(takenSlots(bench, held, batch).map((slot) => keyIdentity(bench, batch[slot]!)));
  const blamed = batch.flatMap((message, slot) => (keys.has(keyIdentity(bench, message)) ? [slot] : []));
  if (!failures.some((failure) => blamed.some((slot) => names(failure, slot, batch[slot]!)))) {
    throw new Violation(
      `${what} was refused without saying which message it was for: ${failureText(failures[0]!)}; ` +
        `it should have the position ${blamed.slice(0, 3).join(' or ')}, or speak of the key`,
    );
  }
  await mustBeAsBefore(bench, rig, held, batch, written, what);
}

/** Fails the guard unless the rows that were there before a failed batch are there, and no row of the batch is. */
async function mustBeAsBefore(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  const found = byToken(await w.stored(bench, rig));
  for (const { message, id } of held) {
    const rows = found.get(w.token(message)) ?? [];
    if (rows.length === 1 && rows[0]!.id === id) continue;
    throw new Violation(`${what} was refused, yet it changed row ${id}, which has the key ${message.dedupeKey}`);
  }
  const before = new Set(held.map(({ message }) => w.token(message)));
  const atomic = bench.declaration.givesUp.atomic === undefined;
  const kept = batch.flatMap((message, slot) => {
    const mayBe = before.has(w.token(message)) || (!atomic && 'stored' in (written.outcomes?.[slot] ?? {}));
    return !mayBe && found.has(w.token(message)) ? [slot] : [];
  });
  if (kept.length === 0) return;
  throw new Violation(
    `${what} was refused, yet ${kept.length} of its ${count(batch.length, 'messages')} are stored, first that in slot ${kept[0]}`,
  );
}

function failuresIn({ threw, outcomes }: Written): Failure[] {
  if (threw) return [threw];
  return (outcomes ?? []).flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : []));
}

function names(failure: Failure, slot: number, { dedupeKey }: Message): boolean {
  return failureChain(failure).some(({ position, message }) => position === slot || message.includes(dedupeKey!));
}
