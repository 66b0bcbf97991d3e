import { byToken, mustCount, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { sameJson, short } from '../../kernel/print.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/** How the messages are made to which the ids are given: with every option, or with keys of their own. */
type Make = (bench: Bench, count: number) => Message[];

/** Sends a message whose id an earlier message has, in that slot of a batch or as a single send. */
export async function mustNotTakeStoredId(
  bench: Bench,
  id: string,
  size: number,
  place: number | 'single',
  make: Make = messages,
) {
  const rig = await bench.open();
  const [holder] = withId(make(bench, 1), 0, id);
  const row = await premise('the message that takes an id', async () => {
    mustSucceed(w, [holder!], await w.writeOne(rig, holder!), 'it');
    return (await mustHaveStoredAll(bench, w, rig, [holder!], 'it'))[0]!;
  });
  const slot = place === 'single' ? 0 : place;
  const batch = withId(make(bench, place === 'single' ? 1 : size), slot, id);
  const written = place === 'single' ? await w.writeOne(rig, batch[0]!) : await w.write(rig, batch);
  const whose = 'the id of a stored message';
  const what = place === 'single' ? `a single send with ${whose}` : `a batch whose message ${slot} has ${whose}`;
  await mustBeErrorOrDuplicate(bench, rig, batch, written, slot, row.id, what);
  const now = (await w.stored(bench, rig)).filter(({ token }) => token === row.token);
  if (now.length === 1 && now[0]!.id === row.id && sameJson(now[0]!.fields, row.fields)) return;
  throw new Violation(`${what}: the row that had this id before (${short(row.id)}) is gone, or holds other values`);
}

/** Sends a batch in which one id stands in both slots. */
export async function mustNotShareId(
  bench: Bench,
  id: string,
  size: number,
  first: number,
  second: number,
  make: Make = messages,
) {
  const rig = await bench.open();
  const batch = withId(withId(make(bench, size), first, id), second, id);
  const what = `a batch whose messages ${first} and ${second} have one id`;
  await mustBeErrorOrDuplicate(bench, rig, batch, await w.write(rig, batch), second, id, what);
}

/** The message in that slot may fail, or be told as a duplicate of the row that has its id; the others are as told. */
async function mustBeErrorOrDuplicate(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  slot: number,
  id: string,
  what: string,
): Promise<void> {
  bench.record('messages whose id was taken', 1);
  if (failureOf(written)) {
    await mustBeTrue(bench, w, rig, batch, written, what);
    return;
  }
  mustCount(w, batch, written, what);
  const outcome = written.outcomes![slot]!;
  const { givesUp, idForm } = bench.declaration;
  const value = (text: string | null) => (idForm === 'uuid' ? text?.toLowerCase() : text);
  const isNamed = 'duplicate' in outcome && (givesUp.ids !== undefined || value(outcome.duplicate) === value(id));
  if (!isNamed) {
    const expected = `an error, or a duplicate of the row ${short(id)}`;
    const line = { slot, mark: 'wrong', sent: w.print(batch[slot]!), expected, stored: short(outcome) } as const;
    throw new Violation(`${what}: that message is told as ${short(outcome)}; expected ${expected}`, {
      input: what,
      slots: [line],
    });
  }
  if (byToken(await w.stored(bench, rig)).has(w.token(batch[slot]!)))
    throw new Violation(`${what}: message ${slot} is told as a duplicate, yet it is stored`);
  await mustHaveStoredAll(bench, w, rig, batch.toSpliced(slot, 1), what);
}

function withId(batch: readonly Message[], slot: number, id: string): Message[] {
  return batch.with(slot, { ...batch[slot]!, id });
}
