import fc, { type Arbitrary } from 'fast-check';
import { body } from '../../kernel/bodies.ts';
import type { Bench } from '../../kernel/guard.ts';
import { floored, type Instant, instantText, parsedInstant } from '../instants.ts';
import { auditLevels, type Schedule, type Slot, type Window } from '../port.ts';
import { gridInstant, offeredOptions, optionValue } from '../slots.ts';

/** A schedule, the slots of it that are taken, and calls that are made one after the other. */
export interface Scenario {
  schedule: {
    status: Schedule['status'] | 'missing';
    hasCursor: boolean;
    version: number;
    runs: number | null;
    error: string | null;
  };
  /** How far apart the slots of the grid are: `finest` is the smallest step that the backend keeps. */
  grid: 'minute' | 'second' | 'finest';
  /** The slots, and when they expire, are before `now`, as where a schedule catches up. */
  past: boolean;
  /** Steps from the cursor. */
  taken: number[];
  /** Instants have parts of a minute, as small as the backend keeps them. */
  fine: boolean;
  calls: Call[];
}

export interface Call {
  by: 'window' | 'single' | 'advance';
  version: 'right' | 'wrong';
  /** `offset`: the right one, in another time zone, and so is `now`; `wrong`: a step before it; `none`: null, although the schedule has one. */
  cursor: 'right' | 'offset' | 'wrong' | 'none';
  level: string;
  slots: Step[];
}

/** A slot, by how far it is from the one before it; the first one, from the cursor. */
export interface Step {
  steps: number;
  /** The end of the grid: it has no next. */
  ends: boolean;
  /** Its child has every option that is offered. */
  options: boolean;
}

const minute = 60_000_000n;
/** The cursor of a schedule that has one; its slots are to come, or are past. */
const [future, past] = [parsedInstant(gridInstant(20))!, parsedInstant('2021-03-04T05:06:00Z')!];
/** The largest run count that there is. */
export const mostRuns = 2 ** 31 - 1;

/** Levels that no backend knows; none of them is a known one. */
export const unknownLevels = ['verbose', 'NONE', ''];
const levels = [...auditLevels, ...unknownLevels];

/**
 * Scenarios of all kinds that the backend has to bear: `by` are the calls that they are made of, `least` is the number
 * of slots that a window has at least.
 */
export function scenarios(bench: Bench, by: Call['by'][], least: number): Arbitrary<Scenario> {
  const usually = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) });
  const steps = bench.declaration.disorder === 'folded' ? usually(1, 0, 2, -1) : usually(1, 0, 2);
  const step = fc.record({
    steps,
    ends: fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, fc.constant(true)),
    options: fc.boolean(),
  });
  const call = (kind: Call['by']) =>
    fc.record<Call>({
      by: fc.constant(kind),
      version: usually<Call['version']>('right', 'wrong'),
      cursor: usually<Call['cursor']>('right', 'offset', 'wrong', 'none'),
      level: fc.constantFrom(...levels),
      slots: fc.array(step, { minLength: kind === 'window' ? least : 1, maxLength: kind === 'window' ? 8 : 1 }),
    });
  return fc.record({
    schedule: fc.record({
      status: usually<Scenario['schedule']['status']>('active', 'completed', 'cancelled', 'missing'),
      hasCursor: usually(true, false),
      version: usually(3, 0),
      runs: fc.constantFrom(0, null, 7, mostRuns - 1, mostRuns),
      error: fc.constantFrom(null, 'the run before failed'),
    }),
    taken: fc.oneof(fc.uniqueArray(fc.nat({ max: 8 })), fc.constant<number[]>([0, 1, 2, 3, 4, 5, 6, 7, 8])),
    grid: fc.constantFrom<Scenario['grid'][]>('minute', 'second', 'finest'),
    past: fc.boolean(),
    fine: fc.boolean(),
    calls: fc.array(fc.oneof(...by.map(call)), { minLength: 1, maxLength: 3 }),
  });
}

/** A call that expects the right things, of slots that follow one upon the other. */
export function ordinary(count: number, over: Partial<Call> = {}): Call {
  const slots = Array.from({ length: count }, (_, i) => ({ steps: i === 0 ? 0 : 1, ends: false, options: true }));
  return { by: 'window', version: 'right', cursor: 'right', level: 'full', slots, ...over };
}

/** An active schedule with some runs, and calls on it. */
export function scenario(calls: Call[], over: Partial<Scenario> & Partial<Scenario['schedule']> = {}): Scenario {
  const { runs = 7, version = 3, status = 'active', ...others } = over;
  const schedule = { status, hasCursor: true, version, runs, error: 'the run before failed' };
  return { schedule, grid: 'minute', past: false, taken: [], fine: false, calls, ...others };
}

/** The schedule of a scenario under this id. */
export function scheduleOf(bench: Bench, scenario: Scenario, id: string): Schedule {
  const { status, hasCursor, version, runs, error } = scenario.schedule;
  return {
    ...{ id, version, runs, error, cursor: hasCursor ? instantText(first(bench, scenario)) : null },
    status: status === 'missing' ? 'active' : status,
  };
}

/** The slots of a scenario that are taken. */
export function takenSlots(bench: Bench, scenario: Scenario): Slot[] {
  const [from, step] = [first(bench, scenario), stepOf(bench, scenario)];
  const nonce = bench.token();
  return scenario.taken.map((steps, i) => {
    const at = from + BigInt(steps) * step;
    return slotAt(bench, at, { token: `${nonce}-${i}`, rank: i, next: at + step });
  });
}

/** The window of a call on a schedule whose cursor is there now; `order` tells the calls of a scenario apart. */
export function windowOf(
  bench: Bench,
  scenario: Scenario,
  call: Call,
  on: { schedule: string; cursor: Instant | null; order: number },
): Window {
  const nonce = bench.token();
  const step = stepOf(bench, scenario);
  let at = on.cursor ?? first(bench, scenario);
  const instants = call.slots.map(({ steps }) => {
    at += BigInt(steps) * step;
    return at;
  });
  const slots = call.slots.map(({ ends, options }, i) => {
    const next = instants[i + 1] ?? instants[i]! + step;
    const child = { token: `${nonce}-${i}`, rank: 20 * (on.order + 1) + i, bare: !options, next };
    const slot = slotAt(bench, instants[i]!, child);
    return ends ? { ...slot, next: null } : slot;
  });
  const { version } = scenario.schedule;
  return {
    schedule: on.schedule,
    expectedVersion: call.version === 'right' ? version : version + 1,
    expectedCursor: expectedCursor(call.cursor, on.cursor, step),
    auditLevel: call.level,
    now: nowOf(bench, scenario, call, on.order),
    slots,
  };
}

function slotAt(
  bench: Bench,
  at: Instant,
  child: { token: string; rank: number; next: Instant; bare?: boolean },
): Slot {
  const { token, rank, bare, next } = child;
  const options = bare ? [] : offeredOptions(bench).map((option) => [option, optionValue(option, rank)] as const);
  return {
    at: instantText(at),
    next: instantText(next),
    child: { body: body(bench, token, rank), ...Object.fromEntries(options) },
  };
}

/** Long ago: no other clock shows it. Parts of a second it has where the slots have some. */
function nowOf({ declaration }: Bench, { fine }: Scenario, { cursor }: Call, order: number): string {
  const whole = BigInt(Date.UTC(2022, 4, 6, 7, 8, order)) * 1000n;
  const now = whole + (fine ? floored(345_000n, declaration.timeResolution) : 0n);
  return cursor === 'offset' ? elsewhere(now) : instantText(now);
}

function expectedCursor(kind: Call['cursor'], cursor: Instant | null, step: bigint): string | null {
  if (cursor === null || kind === 'none') return null;
  if (kind === 'wrong') return instantText(cursor - step);
  return kind === 'right' ? instantText(cursor) : elsewhere(cursor);
}

/** The same instant in a zone five and a half hours ahead. */
export function elsewhere(instant: Instant): string {
  return instantText(instant + 330n * minute).replace('Z', '+05:30');
}

/** The first slot of a scenario: at a whole minute, or a little after. */
function first({ declaration }: Bench, { fine, past: isPast }: Scenario): Instant {
  return (isPast ? past : future) + (fine ? floored(7_123_456n, declaration.timeResolution) : 0n);
}

/** From one slot of the grid to the next; never less than the backend keeps. */
function stepOf({ declaration }: Bench, { grid }: Scenario): bigint {
  const finest = BigInt(Math.max(1, Math.round(declaration.timeResolution * 1000)));
  const step = { minute, second: 1_000_000n, finest }[grid];
  return step < finest ? finest : step;
}
