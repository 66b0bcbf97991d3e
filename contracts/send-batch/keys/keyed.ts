import { mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, NotApplicable, type Rig, Vacuous } from '../../kernel/guard.ts';
import { messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/** Messages with a plain key each and no other option, no two alike. */
export function keyed(bench: Bench, count: number): Message[] {
  const keys = bench.token();
  return messages(bench, count, 'bare').map((message, slot) => ({ ...message, dedupeKey: `key-${keys}-${slot}` }));
}

/** Messages with a key each, and with all else that is offered but ids of the caller's; no two share a value. */
export function fullyKeyed(bench: Bench, count: number): Message[] {
  return withEveryOffer(bench, messages(bench, count)).map(({ id: _dropped, ...message }) => message);
}

/** The messages as they are, but under the keys and destinations of others. */
export function underTheKeysOf(others: readonly Message[], sent: readonly Message[]): Message[] {
  return sent.map(({ destination: _dropped, ...message }, slot) => {
    const { dedupeKey, destination } = others[slot]!;
    return { ...message, dedupeKey: dedupeKey!, ...(destination !== undefined && { destination }) };
  });
}

/** Full messages with keys, of which the later of two pairs has the key and the destination of the earlier one. */
export function keyedTwice(bench: Bench): Message[] {
  const batch = messages(bench, 7).map((message) => ({ ...message, dedupeKey: `key-${bench.token()}` }));
  const again = new Map([
    [3, 0],
    [5, 2],
  ]);
  return batch.map((message, slot) => {
    const { dedupeKey, destination } = batch[again.get(slot) ?? slot]!;
    return { ...message, dedupeKey, ...(destination !== undefined && { destination }) };
  });
}

/** Messages under the same keys and destinations, each with a body that was never sent. */
export function withOtherBodies(bench: Bench, sent: readonly Message[]): Message[] {
  return messages(bench, sent.length, 'bare').map(({ body }, slot) => ({ ...sent[slot]!, body }));
}

/** A text that two messages share exactly when they have the same key, as declared; undefined without a key. */
export function keyIdentity({ declaration }: Bench, { dedupeKey, destination }: Message): string | undefined {
  if (dedupeKey === undefined) return undefined;
  const { keysEqual } = declaration;
  let key = dedupeKey;
  if (keysEqual.includes('normalForm')) key = key.normalize('NFC');
  if (keysEqual.includes('trailingSpace')) key = key.trimEnd();
  if (keysEqual.includes('case')) key = key.toLowerCase();
  return JSON.stringify(keysEqual.includes('destination') ? [key] : [key, destination ?? null]);
}

/** A message that is stored, and the id of its row. */
export interface Held {
  message: Message;
  id: string;
}

/** Stores messages whose keys are free, as one batch, and finds them by a reader of the judge's own. */
export async function hold(bench: Bench, rig: Rig, sent: readonly Message[]): Promise<Held[]> {
  if (sent.length === 0) return [];
  const written = await w.write(rig, sent);
  await premise('the batch that takes the keys', () => mustSucceed(w, sent, written, 'it'));
  const ids = new Map((await w.stored(bench, rig)).map(({ token, id }) => [token, id]));
  return sent.map((message) => {
    const id = ids.get(w.token(message));
    if (id === undefined) throw new Vacuous('a message that was to take a key is not stored');
    return { message, id };
  });
}

/** Ends a guard about messages of one batch where a batch is one message. */
export function mustTakeSeveral({ declaration }: Bench): void {
  if (declaration.limits.maxItems === 1) throw new NotApplicable('backend', 'a batch has one message at most');
}
