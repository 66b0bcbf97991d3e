import {
  mustBeExact,
  mustHaveStoredAll,
  mustHaveStoredNothing,
  mustKnow,
  mustSucceed,
  premise,
} from '../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import { failureOf, type Writes, type Written } from '../kernel/writes.ts';

/** Parameters of an item that are tried where none are seen, beyond its fields: keys, stamps and defaults. */
const furtherColumns = [0, 1, 2, 3, 5];

/** Characters of three bytes: more bytes than 16 bits can count, though not more characters. */
const wide = 21_846;

export function pastTheLimits<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/past-the-limits`,
    statement:
      'Round the limits of parameters and bytes a batch is stored whole or refused whole with a clear error; its last item is never dropped.',
    proves: ['batches round a limit', 'limits tried'],
    async check(bench) {
      await premise('a batch far from the limits', () => isExact(bench, w));
      const tried = [...(await roundTheParameters(bench, w)), ...(await roundTheBytes(bench, w))];
      bench.record('limits tried', tried.join('; '));
    },
  });
}

/** Writes narrow items and wide ones, few enough for every limit but one of the number of items. */
async function isExact<Item>(bench: Bench, w: Writes<Item>): Promise<void> {
  const rig = await bench.open();
  const most = bench.declaration.limits.maxItems ?? Number.POSITIVE_INFINITY;
  const items = [...w.items(bench, 10, 'bare'), ...w.items(bench, 12)].slice(-most);
  await mustBeWhole(bench, w, rig, items, await w.write(rig, items), 'it');
}

/** Batches of as many rows as one statement can have parameters for, one row fewer and one more. */
async function roundTheParameters<Item>(bench: Bench, w: Writes<Item>): Promise<string[]> {
  const limit = bench.facts.maxParams;
  if (limit === undefined) return [];
  const { chunk, limits } = bench.declaration;
  const seen = await parametersOfAnItem(bench, w);
  if (seen === 0) return ['parameters, which do not grow with the items'];
  const fields = Object.keys(w.values(w.items(bench, 1)[0]!)).length;
  const fits = (size: number) => size <= (limits.maxItems ?? size);
  for (const each of seen === undefined ? furtherColumns.map((more) => fields + more) : [seen]) {
    const full = Math.floor(limit / each);
    // Whoever cuts a batch into chunks has but to count them right.
    const sizes = chunk === 'none' && seen !== undefined ? [full - 1, full, full + 1] : [full + 1];
    for (const size of sizes.filter(fits)) {
      await bench.case(`${size}-items`, () => wholeOrNothing(bench, w, w.items(bench, size)));
    }
  }
  // Few narrow items at first, so that the wide ones alone are too many.
  const narrow = 10;
  const narrowFirst = Math.floor(limit / (seen ?? fields)) + narrow + 2;
  if (fits(narrowFirst)) {
    await bench.case(`${narrowFirst}-items-narrow-first`, async () => {
      const items = [...w.items(bench, narrow, 'bare'), ...w.items(bench, narrowFirst - narrow)];
      await wholeOrNothing(bench, w, items);
    });
  }
  const source =
    seen === undefined ? 'for each item as many as it has fields, or a few more' : `${seen} for each item, as seen`;
  return [`${limit} parameters in a statement (${source})`];
}

/** By how many parameters a statement grows from a batch of two to one of three; undefined where that is not seen. */
async function parametersOfAnItem<Item>(bench: Bench, w: Writes<Item>): Promise<number | undefined> {
  if (bench.facts.lacks.trace !== undefined) return undefined;
  const rig = await bench.open();
  const most: number[] = [];
  for (const size of [2, 3]) {
    const watch = await rig.lease.watch();
    await w.write(rig, w.items(bench, size));
    const { statements } = await watch.stop();
    const bound = statements.flatMap((s) => s.bound ?? []);
    if (bound.length === 0) return undefined;
    most.push(Math.max(...bound));
  }
  return most[1]! - most[0]!;
}

/** Items round the declared limit of bytes, or of more bytes than characters where none is declared. */
async function roundTheBytes<Item>(bench: Bench, w: Writes<Item>): Promise<string[]> {
  const { maxBytes } = bench.declaration.limits;
  const third = Math.floor((maxBytes ?? 0) / 3);
  const lengths = maxBytes === undefined ? [wide] : [third - 20, third, third + 1, maxBytes];
  for (const characters of lengths.filter((n) => n > 0)) {
    for (const [name, at] of [
      ['first', 0],
      ['last', 2],
    ] as const) {
      await bench.case(`${characters}-wide-characters-${name}`, async () => {
        const items = w.items(bench, 3);
        await wholeOrNothing(bench, w, items.with(at, w.wide(bench, items[at]!, characters)));
      });
    }
  }
  return [maxBytes === undefined ? `${3 * wide} bytes in an item` : `${maxBytes} bytes, as declared`];
}

async function wholeOrNothing<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[]): Promise<void> {
  const rig = await bench.open();
  const written = await w.write(rig, items);
  const failure = failureOf(written);
  const what = `a batch of ${items.length}`;
  bench.record('batches round a limit', 1);
  if (failure) {
    if (failure.message.trim() === '') throw new Violation(`${what} was refused without a word`);
    mustKnow(written, what, {});
    const whole = bench.declaration.givesUp.atomic === undefined || written.threw !== undefined;
    if (whole) await mustHaveStoredNothing(bench, w, rig, items, what);
    else await mustBeTrue(bench, w, rig, items, written, what);
    bench.record('batches refused', 1);
    return;
  }
  await mustBeWhole(bench, w, rig, items, written, what);
}

async function mustBeWhole<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  written: Written,
  what: string,
): Promise<void> {
  mustSucceed(w, items, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, items, what);
  const ends = [0, items.length - 1];
  mustBeExact(
    bench,
    w,
    ends.map((slot) => items[slot]!),
    ends.map((slot) => rows[slot]!),
    written,
    `the first and the last item of ${what}`,
  );
}
