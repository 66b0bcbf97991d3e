import { mustFail, mustTellOfFailure } from './checks.ts';
import type { Snapshot } from './engine.ts';
import { type Bench, type Rig, Violation } from './guard.ts';
import { short } from './print.ts';
import { mustBeTrue } from './true-outcomes.ts';
import { grown, type Writes, type Written } from './writes.ts';

/** A batch that has to be refused, and what was stored before it. */
export interface Refusable<Item> {
  items: readonly Item[];
  /** The slots that give the reason; all of them where the reason lies in the call. */
  slots: readonly number[] | 'all';
  before: Snapshot;
}

/**
 * Fails the guard unless the batch was refused before any write. Without `atomic` only the slots that give the reason
 * need be: what is told of the others must be true, and is taken back here, so that they can be sent again.
 */
export async function mustBeRefused<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  { items, slots, before }: Refusable<Item>,
  written: Written,
  what: string,
): Promise<void> {
  if (bench.declaration.givesUp.atomic === undefined || slots === 'all' || written.threw) {
    mustFail(w, items, written, what);
    const more = grown(before, await rig.lease.snapshot());
    if (Object.keys(more).length > 0)
      throw new Violation(`${what} was refused only after rows were written: ${short(more)}`);
    return;
  }
  mustTellOfFailure(w, items, written, what);
  await mustBeTrue(bench, w, rig, items, written, what);
  const outcomes = written.outcomes!;
  const accepted = slots.find((slot) => !('failed' in outcomes[slot]!));
  if (accepted !== undefined) {
    throw new Violation(
      `${what} failed, yet outcome ${accepted}, which is the reason, says ${short(outcomes[accepted])}`,
    );
  }
  await rig.lease.restore(before);
}
