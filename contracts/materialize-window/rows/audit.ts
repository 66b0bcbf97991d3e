import { mustAgree } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count, sameJson, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { Difference, StoredItem } from '../../kernel/writes.ts';
import { givenInstant, instantText } from '../instants.ts';
import type { AuditState } from '../model.ts';
import { mustTell, type Scene, setScene, windowOf } from '../parent/scene.ts';
import { storedOf } from '../parent/stored.ts';
import { auditLevels } from '../port.ts';
import { readState } from '../state.ts';
import { windowWrites as w } from '../writes.ts';
import { childrenBySlot } from './metadata.ts';
import { type Path, paths } from './paths.ts';

/** A level that no contract names. */
const unknownLevel = 'a-level-of-tomorrow';
const levels: readonly string[] = [...auditLevels, unknownLevel];
/** Levels that ask for a row for each child. */
const thorough: readonly string[] = ['full', unknownLevel];

/** Slots that are written one by one. */
const few = 7;

export const auditRowsPerSlot: Guard = guard({
  id: 'materialize-window/audit-rows-per-slot',
  statement:
    'At level full, and at one that is unknown, the audit gets one row for each child that is created and none for a slot that is taken, and at the other levels none; nothing else depends on the level.',
  needs: ['audit'],
  proves: ['levels tried', 'audit rows found', 'slots taken'],
  async check(bench) {
    for (const path of paths(bench)) {
      for (const level of levels) await bench.case(`${path.name}-${level}`, () => auditsAsAsked(bench, path, level));
    }
  },
});

async function auditsAsAsked(bench: Bench, path: Path, level: string): Promise<void> {
  const size = path.name === 'bulk' ? severalChunks(bench) : few;
  const taken = [0, 3, size - 1];
  const scene = await setScene(bench, { slots: size, taken });
  const { rig, slots } = scene;
  const before = await auditOf(scene);
  const { outcomes } = await path.write(rig, { ...windowOf(scene), auditLevel: level });
  const what = `a window of ${count(size, 'slots')}, ${taken.length} of them taken, at level ${level}`;
  const expected = slots.map((_, slot) => (taken.includes(slot) ? 'already-exists' : 'created'));
  mustTell(slots, outcomes, expected, what);
  mustAuditCreated(bench, scene, taken, thorough.includes(level), added(before, await auditOf(scene)), what);
  if (level !== 'full') await mustBeAsAtFull(path, scene, taken, what);
  bench.record('levels tried', 1);
  bench.record('slots taken', taken.length);
}

/** The rows of the audit that are about this schedule. */
async function auditOf({ bench, rig, schedule }: Scene): Promise<AuditState[]> {
  return ((await readState(bench, rig)).audits ?? []).filter((row) => row.schedule === schedule.id);
}

/** The rows that are there now, and were not before. */
function added(before: readonly AuditState[], after: readonly AuditState[]): AuditState[] {
  const left = before.map(nameOf);
  return after.filter((row) => {
    const there = left.indexOf(nameOf(row));
    if (there >= 0) left.splice(there, 1);
    return there < 0;
  });
}

function nameOf({ event, slotAt }: AuditState): string {
  return `"${event}" for ${slotAt === null ? 'no slot' : instantText(slotAt)}`;
}

/** Fails the guard unless these rows are one for each child that was created, or none where none is asked for. */
function mustAuditCreated(
  bench: Bench,
  { slots }: Scene,
  taken: readonly number[],
  isThorough: boolean,
  rows: readonly AuditState[],
  what: string,
): void {
  const found = Map.groupBy(rows, nameOf);
  const lines = slots.map(({ at, child }, slot): SlotLine => {
    const name = nameOf({ schedule: '', event: 'created', slotAt: instantOf(bench, at), createdAt: null });
    const wanted = isThorough && !taken.includes(slot) ? 1 : 0;
    const n = found.get(name)?.length ?? 0;
    found.delete(name);
    const mark = n === wanted ? 'ok' : n < wanted ? 'lost' : 'duplicated';
    return { slot, mark, sent: short({ at, ...child }, 72), expected: rowsText(wanted), stored: rowsText(n) };
  });
  if (isThorough) bench.record('audit rows found', rows.length);
  const input = { input: what, slots: lines };
  const wrong = lines.filter(({ mark }) => mark !== 'ok');
  if (wrong.length > 0) {
    const { slot, expected, stored } = wrong[0]!;
    const which = taken.includes(slot) ? 'which is taken' : 'which is created';
    throw new Violation(
      `${what}: the audit is wrong for ${wrong.length} of them; first for slot ${slot}, ${which}: it has ${stored}, expected ${expected}`,
      input,
    );
  }
  if (found.size > 0) throw new Violation(`${what}: the audit has ${[...found.keys()][0]}, expected none`, input);
}

function rowsText(n: number): string {
  return n === 0 ? 'no row' : count(n, 'rows');
}

function instantOf({ declaration }: Bench, at: string) {
  return givenInstant(at, declaration.timeResolution);
}

/** Fails the guard unless children and schedule are what the same slots leave at level full. */
async function mustBeAsAtFull(path: Path, scene: Scene, taken: readonly number[], what: string): Promise<void> {
  const { bench, rig, slots } = scene;
  const full = await setScene(bench, { rig, slots, taken });
  await path.write(rig, { ...windowOf(full), auditLevel: 'full' });
  const [expected, found] = [await childrenOf(full), await childrenOf(scene)];
  const differences = slots.map(({ at }) => childDifferences(expected.get(Date.parse(at)), found.get(Date.parse(at))));
  mustAgree(w, slots, differences, what, 'as at level full');
  const [right, is] = [(await storedOf(full)).schedule, (await storedOf(scene)).schedule];
  for (const field of ['status', 'version', 'cursor', 'runs', 'error'] as const) {
    if (is[field] === right[field]) continue;
    const [shown, wanted] = [is[field], right[field]].map((v) => (typeof v === 'bigint' ? instantText(v) : short(v)));
    throw new Violation(`${what}: ${field} of the schedule is ${shown}, expected ${wanted} as at level full`);
  }
}

function childrenOf({ bench, rig, schedule }: Scene): Promise<Map<unknown, StoredItem[]>> {
  return childrenBySlot(bench, rig, schedule.id);
}

/** How the child of a slot differs from that of the same slot under another schedule. */
function childDifferences(expected: readonly StoredItem[] = [], found: readonly StoredItem[] = []): Difference[] {
  if (expected.length !== 1)
    return [{ field: 'child at level full', expected: rowsText(1), found: rowsText(expected.length) }];
  if (found.length !== 1) return [{ field: 'child', expected: rowsText(1), found: rowsText(found.length) }];
  const [right, is] = [expected[0]!.fields, found[0]!.fields];
  return Object.keys(right)
    .filter((field) => field !== 'schedule' && field !== 'createdAt' && !sameJson(right[field], is[field]))
    .map((field) => ({ field, expected: right[field], found: is[field] }));
}
