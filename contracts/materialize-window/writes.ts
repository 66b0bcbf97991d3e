import { tokenIn, wideBody } from '../kernel/bodies.ts';
import { Violation } from '../kernel/guard.ts';
import type { Outcome, Settled } from '../kernel/outcome.ts';
import { short } from '../kernel/print.ts';
import { Recipe } from '../kernel/recipe.ts';
import { rowDifferences } from '../kernel/rows.ts';
import { grown, type Writes, type Written } from '../kernel/writes.ts';
import { materialize, materializeWindow, putSchedules, whatIsWrong } from './calls.ts';
import { scheduleDifferences } from './differences.ts';
import { newSchedule, unusedSchedule } from './pool.ts';
import type { Expected, Schedule, Slot, SlotOutcome, SlotResult, WindowResult } from './port.ts';
import { decodeChild, slotDifferences } from './rows.ts';
import { slots, usingOption } from './slots.ts';
import { readSchedules } from './state.ts';

/** How a window writes, for the guards that all writing contracts share: each write is a window of another schedule. */
export const windowWrites: Writes<Slot> = {
  contract: 'materialize-window',
  members: ['putSchedules', 'materializeWindow', 'materialize', 'advance'],
  membersOf: { bulk: ['materializeWindow'] },
  noun: 'slots',
  items: slots,
  token: ({ child }) => tokenIn(child.body) ?? '',
  values: ({ at, next, child }) => ({ at, next, ...child }),
  print: ({ at, child }) => short({ at, ...child }, 72),
  unreadable: (slot) => ({
    ...slot,
    child: { ...slot.child, body: new Recipe('throwing-getter', tokenIn(slot.child.body)) },
  }),
  wide: (bench, slot, characters) => ({
    ...slot,
    child: { ...slot.child, body: wideBody(bench, tokenIn(slot.child.body) ?? '', characters) },
  }),
  using: (_bench, slot, offer) => usingOption(slot, offer),
  sharing: () => undefined,
  async write(rig, items, options) {
    const { bench, schedule } = await unusedSchedule(rig);
    return written(() => materializeWindow(bench, rig, { ...expecting(schedule), slots: items }, options));
  },
  async writeOne(rig, item, options) {
    const { schedule } = await unusedSchedule(rig);
    return written(async () => asWindow(await materialize(rig, { ...expecting(schedule), slot: item }, options)));
  },
  async changed(bench) {
    const rig = await bench.open();
    const before = await rig.lease.snapshot();
    await putSchedules(rig, [newSchedule(bench.token())]);
    return Object.keys(grown(before, await rig.lease.snapshot()));
  },
  async standing(bench, rig) {
    const before = await readSchedules(bench, rig);
    return async () => scheduleDifferences(before, await readSchedules(bench, rig));
  },
  async stored(bench, rig) {
    const found = await rig.read();
    if ('missing' in found) throw new Violation(`the namespace is not there: the probe misses ${found.missing}`);
    return found.rows.map((row) => decodeChild(bench.declaration, row));
  },
  differences: slotDifferences,
  rowDifferences: async (bench, found, expected) =>
    // Each write has a schedule of its own. What depends on the slot is the same whenever it is written.
    rowDifferences(bench, found, expected, (field) => field === 'createdAt').map((list) =>
      list.filter(({ field }) => field !== 'schedule'),
    ),
};

/** What a caller expects who knows how the schedule stands, with everything in the audit. */
export function expecting({ id, version, cursor }: Schedule): Expected {
  const now = new Date().toISOString();
  return { schedule: id, expectedVersion: version, expectedCursor: cursor, auditLevel: 'full', now };
}

async function written(call: () => Promise<Settled<unknown>>): Promise<Written> {
  const startedAt = Date.now();
  const settled = await call();
  const common = { startedAt, settledAt: Date.now(), touched: settled.touched };
  if ('threw' in settled) return { ...common, outcomes: null, threw: settled.threw, malformed: undefined };
  const malformed = whatIsWrong(settled.value);
  const outcomes = malformed ? null : (settled.value as WindowResult).outcomes.map(asOutcome);
  return { ...common, outcomes, threw: undefined, malformed };
}

/** The result of a single slot as that of a window of one. */
function asWindow(settled: Settled<unknown>): Settled<unknown> {
  if ('threw' in settled) return settled;
  const { value } = settled;
  if (typeof value !== 'object' || value === null || !('outcome' in value)) return settled;
  const { outcome, ...standing } = value as SlotResult;
  return { ...settled, value: { ...standing, outcomes: [outcome] } };
}

function asOutcome(outcome: SlotOutcome): Outcome {
  if (typeof outcome === 'object') return { stored: outcome.created === null ? null : String(outcome.created) };
  if (outcome === 'already-exists') return { duplicate: null };
  return { failed: { name: 'SlotLost', message: `the outcome is ${outcome}`, code: outcome } };
}
