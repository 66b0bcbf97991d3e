import { mustAgree } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Vacuous, Violation } from '../../kernel/guard.ts';
import { count, sameJson } from '../../kernel/print.ts';
import type { Difference, StoredItem } from '../../kernel/writes.ts';
import { setScene } from '../parent/scene.ts';
import type { Schedule, Slot } from '../port.ts';
import { decodeChild } from '../rows.ts';
import { readState } from '../state.ts';
import { expecting, windowWrites as w } from '../writes.ts';
import { type Path, paths } from './paths.ts';

/** What an object of the caller's may carry that was a child, or a schedule, elsewhere. */
const carried = {
  ...{
    id: 1,
    schedule: 'another-schedule',
    status: 'done',
    version: 99,
    attempts: 7,
    runs: 5,
    error: 'from elsewhere',
  },
  ...{
    createdAt: '1999-01-02T03:04:05.000Z',
    slotAt: '1999-01-03T00:00:00.000Z',
    lastRunAt: '1999-01-04T00:00:00.000Z',
  },
  ...{ dueAt: '1999-01-05T00:00:00.000Z', expiresAt: '1999-01-06T00:00:00.000Z', cursor: '1999-01-07T00:00:00.000Z' },
};

/** Who carries it. What a slot or a child has of its own stays. */
const carriers: Record<string, (slot: Slot) => Slot> = {
  child: ({ child, ...slot }) => ({ ...slot, child: { ...carried, ...child } }),
  slot: (slot) => ({ ...carried, ...slot }),
};

/** Milliseconds: two calls in a row are not as far apart, and what is carried is further away. */
const hour = 3_600_000;

export const canonicalChildRow: Guard = guard({
  id: 'materialize-window/canonical-child-row',
  statement:
    "Whatever status, version, counters, cursor or bounds the caller's object carries, the stored child is that of a plain object, and what is the caller's is kept byte by byte.",
  proves: ['children compared', 'fields compared'],
  async check(bench) {
    for (const path of paths(bench)) {
      for (const [carrier, carrying] of Object.entries(carriers))
        await bench.case(`${path.name}-${carrier}`, () => mustStoreAsPlain(bench, path, carrier, carrying));
      await bench.case(`${path.name}-past`, () => mustBeginAlike(bench, path));
    }
  },
});

/** Fails the guard unless slots whose objects carry more leave what the same slots leave without it. */
async function mustStoreAsPlain(bench: Bench, path: Path, carrier: string, carrying: (slot: Slot) => Slot) {
  const { rig, schedule, slots } = await setScene(bench);
  const other = await setScene(bench, { rig, slots });
  const now = new Date().toISOString();
  const loaded = slots.map(carrying);
  await path.write(rig, { ...expecting(schedule), now, slots });
  const plain = await childrenOf(bench, rig, schedule.id, slots);
  if (typeof plain === 'string') throw new Vacuous(`slots of plain objects: ${plain}`);
  await path.write(rig, { ...expecting(other.schedule), now, slots: loaded });
  const what = `${count(slots.length, 'slots')} of which each ${carrier} carries more than it has to`;
  const found = await childrenOf(bench, rig, other.schedule.id, slots);
  if (typeof found === 'string') throw new Violation(`${what}: ${found}`);
  const differences = slots.map((_, i) => differencesOf(plain[i]!, found[i]!));
  mustAgree(w, loaded, differences, what, 'stored as those of plain objects');
  bench.record('children compared', slots.length);
  bench.record('fields compared', Object.keys(plain[0]!.child.fields).length);
  await mustLeaveTheSchedule(bench, rig, [schedule, other.schedule], what);
}

/** Fails the guard unless children of slots that are past begin as those of slots to come do. */
async function mustBeginAlike(bench: Bench, path: Path) {
  const { rig, schedule, slots } = await setScene(bench);
  // By a multiple of four, so that each day is there.
  const years = 4 * Math.ceil((new Date(slots[0]!.at).getUTCFullYear() - 2020) / 4);
  const ago = (at: string) => at.replace(/^\d+/, (year) => String(Number(year) - years));
  const earlier = slots.map((slot) => ({ ...slot, at: ago(slot.at), next: ago(slot.next!) }));
  const other = await setScene(bench, { rig, slots: earlier });
  const now = new Date().toISOString();
  await path.write(rig, { ...expecting(schedule), now, slots });
  await path.write(rig, { ...expecting(other.schedule), now, slots: earlier });
  const plain = await childrenOf(bench, rig, schedule.id, slots);
  if (typeof plain === 'string') throw new Vacuous(`slots to come: ${plain}`);
  const what = `${count(slots.length, 'slots')} that are past`;
  const found = await childrenOf(bench, rig, other.schedule.id, earlier);
  if (typeof found === 'string') throw new Violation(`${what}: ${found}`);
  const differences = slots.map((_, i) =>
    differencesOf(plain[i]!, found[i]!).filter(({ field }) => !['slotAt', 'dueAt', 'expiresAt'].includes(field)),
  );
  mustAgree(w, earlier, differences, what, 'stored as those of slots to come');
  bench.record('children compared', slots.length);
}

interface Stored {
  child: StoredItem;
  /** Its body as the probe shows it. */
  raw: unknown;
}

/** The stored children of a schedule, slot by slot; or what is wrong with them, in words. */
async function childrenOf(
  { declaration }: Bench,
  rig: Rig,
  schedule: string,
  slots: readonly Slot[],
): Promise<Stored[] | string> {
  const found = await rig.read();
  const rows = 'rows' in found ? found.rows.filter((row) => row.schedule === schedule) : [];
  const stored = rows.map((row): Stored => ({ child: decodeChild(declaration, row), raw: row.body }));
  if (stored.length !== slots.length)
    return `${count(stored.length, 'child rows')} are stored of ${slots.length} slots`;
  const bySlot = new Map(stored.map((one) => [one.child.fields.slotAt, one]));
  const missing = slots.findIndex(({ at }) => !bySlot.has(Date.parse(at)));
  return missing >= 0 ? `slot ${missing} has no child` : slots.map(({ at }) => bySlot.get(Date.parse(at))!);
}

function differencesOf(plain: Stored, found: Stored): Difference[] {
  const fields = new Set([...Object.keys(plain.child.fields), ...Object.keys(found.child.fields)]);
  const differences = [...fields].flatMap((field): Difference[] => {
    const [expected, is] = [plain.child.fields[field], found.child.fields[field]];
    if (field === 'schedule') return [];
    const isAlike = field === 'createdAt' ? Math.abs(Number(expected) - Number(is)) < hour : sameJson(expected, is);
    return isAlike ? [] : [{ field, expected, found: is }];
  });
  if (differences.length > 0 || sameJson(plain.raw, found.raw)) return differences;
  return [{ field: 'body, byte by byte', expected: plain.raw, found: found.raw }];
}

/** Nor is anything of it the schedule's. */
async function mustLeaveTheSchedule(bench: Bench, rig: Rig, [plain, loaded]: [Schedule, Schedule], what: string) {
  const { schedules } = await readState(bench, rig);
  const [expected, found] = [plain, loaded].map(({ id }) => schedules.find((schedule) => schedule.id === id));
  for (const field of ['status', 'version', 'cursor', 'runs', 'error'] as const) {
    if (found?.[field] === expected?.[field]) continue;
    throw new Violation(
      `${what}: ${field} of the schedule is ${found?.[field]}; after the same slots as plain objects it is ${expected?.[field]}`,
    );
  }
}
