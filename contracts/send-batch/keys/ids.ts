import { byToken, mustCount, premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf } from '../../kernel/writes.ts';
import { sendWrites as w } from '../writes.ts';
import { hold, keyed, mustTakeSeveral } from './keyed.ts';

export const idsBesideDuplicates: Guard = guard({
  id: 'send-batch/ids-beside-duplicates',
  statement: 'Beside duplicates, too, the id of a message that is told as stored is that of its own row.',
  needs: ['dedupeKey', 'ids'],
  proves: ['keys found stored before', 'messages found by id'],
  async check(bench) {
    if (bench.declaration.keyPolicy === 'refuse') {
      throw new NotApplicable('backend', 'a batch with a key that is taken is refused, as keyPolicy refuse declares');
    }
    mustTakeSeveral(bench);
    const size = severalChunks(bench);
    const middle = Math.floor(size / 2);
    const places = {
      first: [0],
      middle: [middle],
      'a-few': [...new Set([0, 1, middle, size - 1])].filter((slot) => slot < size),
    };
    for (const [name, again] of Object.entries(places)) await bench.case(name, () => nameTheirRows(bench, size, again));
  },
});

/** Sends a batch some of whose keys are taken, and looks for the rows behind the ids of the others. */
async function nameTheirRows(bench: Bench, size: number, again: readonly number[]): Promise<void> {
  const rig = await bench.open();
  const batch = keyed(bench, size);
  const held = await hold(
    bench,
    rig,
    again.map((slot) => batch[slot]!),
  );
  bench.record('keys found stored before', held.length);
  const written = await w.write(rig, batch);
  const what = `a batch with ${again.length} of its ${count(size, 'keys')} taken`;
  // How duplicates are told is for another guard.
  await premise(what, () => {
    const failure = failureOf(written);
    if (failure) throw new Violation(failure.message);
    mustCount(w, batch, written, 'it');
  });
  const found = byToken(await w.stored(bench, rig));
  const taken = new Set(again);
  const slots = batch.flatMap((message, slot): SlotLine[] => {
    const outcome = written.outcomes![slot]!;
    const [row] = found.get(w.token(message)) ?? [];
    if (taken.has(slot) || row === undefined || !('stored' in outcome)) return [];
    const mark = outcome.stored === row.id ? 'ok' : 'reordered';
    return [{ slot, mark, sent: w.print(message), expected: `id ${row.id}, its row`, stored: short(outcome) }];
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (slots.length > 0) bench.record('messages found by id', slots.length);
  if (bad.length === 0) return;
  const { slot, expected, stored } = bad[0]!;
  throw new Violation(
    `${what}: ${bad.length} of ${count(slots.length, 'ids')} do not name their own message; ` +
      `first in slot ${slot}: expected ${expected}, told ${stored}`,
    { input: `${count(size, 'messages')}, ${what}`, slots },
  );
}
