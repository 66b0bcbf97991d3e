import type { Settled } from '../kernel/outcome.ts';
import type { Advance, SingleSlot, SlotOutcome, SlotResult, Standing, Window, WindowResult } from './port.ts';

/** The members of a backend that writes one slot at a time. */
interface SingleMembers {
  materialize(single: SingleSlot): Promise<Settled<unknown>>;
  advance(advance: Advance): Promise<Settled<unknown>>;
}

/**
 * Serves a window slot by slot, for a backend that has no member for many of them: version and cursor are threaded from
 * one slot to the next, and a slot that is taken is advanced over. What a member throws ends the window.
 */
export async function servedSlotBySlot(window: Window, members: SingleMembers): Promise<Settled<unknown>> {
  const { slots, ...expected } = window;
  const outcomes: SlotOutcome[] = [];
  let cursor = window.expectedCursor;
  let standing: Standing = { cursor, runs: null };
  const touched: { touched?: string } = {};
  for (const slot of slots) {
    const single = await members.materialize({ ...expected, expectedCursor: cursor, slot });
    if (single.touched !== undefined) touched.touched = single.touched;
    if ('threw' in single) return { ...single, ...touched };
    const result = single.value as SlotResult;
    if (typeof result !== 'object' || result === null || !('outcome' in result)) return { value: result, ...touched };
    outcomes.push(result.outcome);
    standing = { cursor: result.cursor, runs: result.runs };
    if (result.outcome === 'already-exists') {
      const advanced = await members.advance({ ...expected, expectedCursor: cursor, next: slot.next });
      if ('threw' in advanced) return { ...advanced, ...touched };
      standing.cursor = slot.next;
    }
    if (result.outcome === 'already-exists' || typeof result.outcome === 'object') cursor = slot.next;
  }
  return { value: { outcomes, ...standing } satisfies WindowResult, ...touched };
}
