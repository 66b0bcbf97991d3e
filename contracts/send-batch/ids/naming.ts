import { tokenIn } from '../../kernel/bodies.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import type { Written } from '../../kernel/writes.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/**
 * Fails unless the row behind each reported id holds the message of that slot; where only `real` ids are asked for,
 * unless there is such a row.
 */
export async function mustNameTheirRows(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  asked: 'own' | 'real' = 'own',
): Promise<void> {
  const slotOf = new Map(batch.map((message, slot) => [tokenIn(message.body), slot]));
  const byId = new Map((await w.stored(bench, rig)).map((row) => [row.id, row]));
  const slots = batch.map((message, slot): SlotLine => {
    const outcome = written.outcomes![slot]!;
    const id = 'stored' in outcome ? outcome.stored : null;
    const row = id === null ? undefined : byId.get(id);
    const holds = row === undefined ? undefined : slotOf.get(row.token);
    const common = { slot, sent: w.print(message), expected: `id of the row that holds slot ${slot}` };
    if (id === null) return { ...common, mark: 'lost', stored: 'no id' };
    if (row === undefined) return { ...common, mark: 'lost', stored: `id ${id}: no such row` };
    if (holds === slot || (asked === 'real' && holds !== undefined))
      return { ...common, mark: 'ok', stored: `id ${id}` };
    return {
      ...common,
      mark: 'reordered',
      stored: holds === undefined ? `id ${id}: a row of another batch` : `id ${id}: the row of slot ${holds}`,
    };
  });
  const bad = slots.filter((s) => s.mark !== 'ok');
  if (bad.length === 0) return;
  throw new Violation(
    `${bad.length} of ${count(batch.length, 'ids')} do not name their own message; first in slot ${bad[0]!.slot}: ${bad[0]!.stored}`,
    {
      input: count(batch.length, 'messages'),
      slots,
    },
  );
}
