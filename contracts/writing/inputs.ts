import { mustBeExact, mustHaveStoredAll, mustSucceed } from '../kernel/checks.ts';
import { type Bench, type CallOptions, type Guard, guard, Violation } from '../kernel/guard.ts';
import type { Writes } from '../kernel/writes.ts';

export function inputsAreNotTouched<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/inputs-are-not-touched`,
    statement:
      "The caller's objects may be frozen or shared and stay as they were; changing them after the call has settled changes nothing stored.",
    proves: ['batches with watched inputs'],
    async check(bench) {
      await bench.case('left-as-they-were', () => storesWhatWasSent(bench, w, w.items(bench, 7), {}));
      await bench.case('frozen', () => storesWhatWasSent(bench, w, w.items(bench, 7), { freeze: true }));
      const shared = w.sharing(w.items(bench, 7));
      if (shared) {
        await bench.case('one-options-object-for-all', () => storesWhatWasSent(bench, w, shared, {}));
        await bench.case('one-frozen-options-object-for-all', () =>
          storesWhatWasSent(bench, w, shared, { freeze: true }),
        );
      }
      await bench.case('changed-after-settling', () =>
        storesWhatWasSent(bench, w, w.items(bench, 7), { scramble: 'settled' }),
      );
    },
  });
}

export function inputsMayChangeInFlight<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/inputs-may-change-in-flight`,
    level: 'should',
    statement: "Changing the caller's objects while the call is in flight changes nothing stored.",
    proves: ['batches with watched inputs'],
    check: (bench) =>
      bench.case('changed-in-flight', () => storesWhatWasSent(bench, w, w.items(bench, 7), { scramble: 'inFlight' })),
  });
}

async function storesWhatWasSent<Item>(
  bench: Bench,
  w: Writes<Item>,
  items: readonly Item[],
  options: CallOptions,
): Promise<void> {
  const rig = await bench.open();
  const written = await w.write(rig, items, options);
  const what = options.freeze
    ? 'a batch of frozen items'
    : options.scramble
      ? 'a batch whose items were changed afterwards'
      : 'a batch';
  mustSucceed(w, items, written, what);
  if (written.touched) throw new Violation(`the call changed the caller's input: ${written.touched}`);
  // The next call must not bring to light what the first one only kept a reference to.
  const later = w.items(bench, 2);
  mustSucceed(w, later, await w.write(rig, later), 'a batch after it');
  const rows = await mustHaveStoredAll(bench, w, rig, items, what);
  mustBeExact(bench, w, items, rows, written, what);
  bench.record('batches with watched inputs', 1);
}
