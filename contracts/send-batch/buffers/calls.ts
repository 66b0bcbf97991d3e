import { failureText, mustCount, mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type CallOptions, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import type { StoredItem, Written } from '../../kernel/writes.ts';
import { mustNameTheirRows } from '../ids/naming.ts';
import type { Message } from '../port.ts';
import { reported, sendWrites as w } from '../writes.ts';

/** Puts messages into the buffer of the subject. */
export async function accept(rig: Rig, batch: readonly Message[], options?: CallOptions): Promise<void> {
  const settled = await rig.subject.call('accept', [batch, {}], options);
  if ('threw' in settled) {
    throw new Violation(`accept of ${count(batch.length, 'messages')} threw: ${failureText(settled.threw)}`);
  }
}

export function flush(rig: Rig): Promise<Written> {
  return reported(rig, 'flush', []);
}

/** Fails unless the flush stored these messages and reported them in the order of acceptance; returns their rows. */
export async function mustBeFlushed(
  bench: Bench,
  rig: Rig,
  accepted: readonly Message[],
  flushed: Written,
  what: string,
): Promise<StoredItem[]> {
  mustSucceed(w, accepted, flushed, what);
  const rows = await mustHaveStoredAll(bench, w, rig, accepted, what);
  if (bench.declaration.givesUp.ids === undefined) await mustNameTheirRows(bench, rig, accepted, flushed);
  return rows;
}

/** Fails where a flush of an empty buffer tells of anything. */
export function mustHaveBeenEmpty(flushed: Written, what: string): void {
  if (flushed.threw) throw new Violation(`${what} threw: ${failureText(flushed.threw)}`);
  mustCount(w, [], flushed, what);
}

/** How many of the messages are not stored yet. */
export async function pending(bench: Bench, rig: Rig, accepted: readonly Message[]): Promise<number> {
  const stored = new Set((await w.stored(bench, rig)).map(({ token }) => token));
  return accepted.filter((message) => !stored.has(w.token(message))).length;
}
