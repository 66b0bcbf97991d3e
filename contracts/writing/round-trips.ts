import { mustSucceed } from '../kernel/checks.ts';
import { type Bench, type Guard, guard, Violation } from '../kernel/guard.ts';
import { declaredChunkRows, type Writes } from '../kernel/writes.ts';

export function isOneRoundTripPerChunk<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/is-one-round-trip-per-chunk`,
    level: 'should',
    statement: 'Inside one chunk the number of round trips does not grow with the items.',
    needs: ['batched', 'trace', 'wire'],
    proves: ['round trips seen'],
    async check(bench) {
      const most = bench.declaration.limits.maxItems ?? Number.POSITIVE_INFINITY;
      const chunk = declaredChunkRows(bench.declaration);
      // A chunk of a row or two is no batch: there the items themselves have to travel together.
      const full = Math.min(chunk < 8 ? 64 : chunk, 256, most);
      const few = Math.max(2, Math.floor(full / 4));
      const [one, other] = [await roundTrips(bench, w, few), await roundTrips(bench, w, full)];
      bench.record('round trips seen', one);
      bench.record('round trips', `${one} for ${few} ${w.noun}, ${other} for ${full}`);
      if (other > one) {
        throw new Violation(
          `the promise 'batched' is declared and not kept: ${full} ${w.noun} took ${other} round trips where ${few} ` +
            `took ${one}, ${((other - one) / (full - few)).toFixed(2)} more for each; send them together, or give it ` +
            "up (givesUp: { batched: 'why' })",
        );
      }
      if (chunk < 8 || 2 * chunk > most || chunk > 5000) return;
      const [two, twoAndMore] = [await roundTrips(bench, w, chunk + few), await roundTrips(bench, w, 2 * chunk)];
      if (two !== twoAndMore) {
        throw new Violation(
          `the second chunk took ${two - other} round trips with ${few} ${w.noun}, ${twoAndMore - other} with ${chunk}`,
        );
      }
    },
  });
}

/** Round trips of one batch, on a subject that has sent one like it before, so that what is prepared once is prepared. */
async function roundTrips<Item>(bench: Bench, w: Writes<Item>, size: number): Promise<number> {
  const rig = await bench.open();
  const first = w.items(bench, size);
  mustSucceed(w, first, await w.write(rig, first), `a batch of ${size}`);
  const items = w.items(bench, size);
  const watch = await rig.lease.watch();
  const written = await w.write(rig, items);
  const seen = await watch.stop();
  mustSucceed(w, items, written, `a batch of ${size}`);
  return seen.roundTrips ?? seen.statements.length;
}
