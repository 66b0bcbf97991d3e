import { byToken, mustHaveStoredAll, mustSucceed, premise } from '../kernel/checks.ts';
import type { SlotLine } from '../kernel/counterexample.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count, sameJson, short } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import type { StoredItem, Writes } from '../kernel/writes.ts';

export function acknowledgedSurvivesReopen<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/acknowledged-survives-reopen`,
    statement: 'After a clean close and reopen the rows of an acknowledged batch are the same, ids too.',
    needs: ['persistent'],
    proves: ['subjects closed', 'rows compared'],
    async check(bench) {
      const rig = await bench.open();
      const items = w.items(bench, severalChunks(bench));
      const rows = await premise('the batch before the close', () => storedWhole(bench, w, rig, items, 'it'));
      bench.record('before closing', (await rig.lease.quiet()).words);
      await rig.subject.close();
      bench.record('subjects closed', 1);
      bench.record('after closing', (await rig.lease.quiet()).words);

      const elsewhere = bench.facts.lacks.twoHosts === undefined;
      const again = await bench.open({ lease: rig.lease, anotherHost: elsewhere });
      bench.record('opened again', elsewhere ? 'in another host' : 'in the same host');
      mustBeTheSame(w, items, rows, await w.stored(bench, again), 'after the subject was closed and opened again');
      bench.record('rows compared', rows.length);

      const later = w.items(bench, items.length);
      const what = 'a batch after the reopening';
      const laterRows = await storedWhole(bench, w, again, later, what);
      const taken = new Set(rows.map(({ id }) => id));
      const twice = laterRows.filter(({ id }) => taken.has(id));
      if (twice.length > 0) {
        throw new Violation(
          `${what}: ${count(twice.length, 'rows')} got ids that rows from before it have (${short(twice.map(({ id }) => id))})`,
        );
      }
      mustBeTheSame(w, items, rows, await w.stored(bench, again), `after ${what}`);
    },
  });
}

/** Writes the items and returns their rows, by slot. */
export async function storedWhole<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  items: readonly Item[],
  what: string,
): Promise<StoredItem[]> {
  mustSucceed(w, items, await w.write(rig, items), what);
  return mustHaveStoredAll(bench, w, rig, items, what);
}

/** Fails the guard unless the rows of these items are what they were, ids too. */
function mustBeTheSame<Item>(
  w: Writes<Item>,
  items: readonly Item[],
  before: readonly StoredItem[],
  stored: readonly StoredItem[],
  when: string,
): void {
  const found = byToken(stored);
  const slots = items.map((item, slot): SlotLine => {
    const rows = found.get(w.token(item)) ?? [];
    const same = rows.length === 1 && isSame(rows[0]!, before[slot]!);
    const mark = same ? 'ok' : rows.length === 0 ? 'lost' : rows.length === 1 ? 'changed' : 'duplicated';
    return {
      slot,
      mark,
      sent: w.print(item),
      expected: shown(before[slot]!),
      stored: rows.map(shown).join('; ') || 'nothing',
    };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  const lost = bad.filter(({ mark }) => mark === 'lost').length;
  const how = [
    lost > 0 ? `${lost} are gone` : '',
    bad.length > lost ? `${bad.length - lost} are changed or there more than once` : '',
  ];
  throw new Violation(
    `of ${items.length} acknowledged ${w.noun} ${how.filter((part) => part !== '').join(', ')} ${when}`,
    { input: `${count(items.length, w.noun)}, ${when}`, slots },
  );
}

function isSame(a: StoredItem, b: StoredItem): boolean {
  return a.id === b.id && sameJson(a.fields, b.fields);
}

function shown({ id, fields }: StoredItem): string {
  return `id ${id} ${short(fields)}`;
}
