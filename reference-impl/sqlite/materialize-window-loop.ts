import { advanceOne, materializeOne } from './materialize-one.ts';
import { materializeBy } from './materializer.ts';

/** The single path in a loop, within the transaction of the window: version and cursor go from one slot to the next. */
export const loop = materializeBy(
  (connection, call, slots) => {
    let { cursor } = call;
    return slots.map((slot) => {
      const expected = { ...call, cursor };
      const outcome = materializeOne(connection, expected, slot);
      if (outcome === 'already-exists') advanceOne(connection, expected, slot.next);
      if (outcome === 'already-exists' || typeof outcome === 'object') cursor = slot.next;
      return outcome;
    });
  },
  { chunk: { rows: 1 }, givesUp: { batched: 'each slot is materialized by the statements of the single path' } },
);
