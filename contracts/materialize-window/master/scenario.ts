import fc, { type Arbitrary } from 'fast-check';
import { body } from '../../kernel/bodies.ts';
import type { Bench } from '../../kernel/guard.ts';
import { floored, type Instant, instantText, parsedInstant } from '../instants.ts';
import type { Schedule, Slot, Window } from '../port.ts';
import { gridInstant, offeredOptions, optionValue } from '../slots.ts';

/** A schedule, the slots of it that are taken, and calls that are made one after the other. */
export interface Scenario {
  schedule: {
    status: Schedule['status'] | 'missing';
    hasCursor: boolean;
    runs: number | null;
    error: string | null;
  };
  /** Minutes from the cursor. */
  taken: number[];
  /** Instants have parts of a second, as small as the backend keeps them. */
  fine: boolean;
  calls: Call[];
}

export interface Call {
  by: 'window' | 'single' | 'advance';
  version: 'right' | 'wrong';
  /** `offset`: the right one, in another time zone; `none`: null, although the schedule has one. */
  cursor: 'right' | 'offset' | 'wrong' | 'none';
  level: string;
  slots: Step[];
}

/** A slot, by how far it is from the one before it; the first one, from the cursor. */
export interface Step {
  minutes: number;
  /** The end of the grid: it has no next. */
  ends: boolean;
  /** Its child has every option that is offered. */
  options: boolean;
}

/** The version of every schedule. */
const version = 3;
const minute = 60_000_000n;
/** The cursor of a schedule that has one. */
const origin = parsedInstant(gridInstant(20))!;
/** The largest run count that there is. */
export const mostRuns = 2 ** 31 - 1;

/** A level that no backend knows. */
export const unknownLevel = 'verbose';
const levels = ['full', 'minimal', 'errors-only', 'none', unknownLevel];

/**
 * Scenarios of all kinds that the backend has to bear: `by` are the calls that they are made of, `least` is the number
 * of slots that a window has at least.
 */
export function scenarios(bench: Bench, by: Call['by'][], least: number): Arbitrary<Scenario> {
  const usually = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) });
  const minutes = bench.declaration.disorder === 'folded' ? usually(1, 0, 2, -1) : usually(1, 0, 2);
  const step = fc.record({
    minutes,
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
      runs: fc.constantFrom(0, null, 7, mostRuns - 1, mostRuns),
      error: fc.constantFrom(null, 'the run before failed'),
    }),
    taken: fc.oneof(fc.uniqueArray(fc.nat({ max: 8 })), fc.constant<number[]>([0, 1, 2, 3, 4, 5, 6, 7, 8])),
    fine: fc.boolean(),
    calls: fc.array(fc.oneof(...by.map(call)), { minLength: 1, maxLength: 3 }),
  });
}

/** A call that expects the right things, of slots that follow one upon the other. */
export function ordinary(count: number, over: Partial<Call> = {}): Call {
  const slots = Array.from({ length: count }, (_, i) => ({ minutes: i === 0 ? 0 : 1, ends: false, options: true }));
  return { by: 'window', version: 'right', cursor: 'right', level: 'full', slots, ...over };
}

/** An active schedule with some runs, and calls on it. */
export function scenario(calls: Call[], over: Partial<Scenario> & { runs?: number | null } = {}): Scenario {
  const { runs = 7, ...others } = over;
  const schedule = { status: 'active', hasCursor: true, runs, error: 'the run before failed' } as const;
  return { schedule, taken: [], fine: false, calls, ...others };
}

/** The schedule of a scenario under this id. */
export function scheduleOf(bench: Bench, { schedule, fine }: Scenario, id: string): Schedule {
  const { status, hasCursor, runs, error } = schedule;
  return {
    ...{ id, version, runs, error, cursor: hasCursor ? instantText(first(bench, fine)) : null },
    status: status === 'missing' ? 'active' : status,
  };
}

/** The slots of a scenario that are taken. */
export function takenSlots(bench: Bench, { taken, fine }: Scenario): Slot[] {
  const from = first(bench, fine);
  const nonce = bench.token();
  return taken.map((minutes, i) => slotAt(bench, from + BigInt(minutes) * minute, { token: `${nonce}-${i}`, rank: i }));
}

/** The window of a call on a schedule whose cursor is there now; `order` tells the calls of a scenario apart. */
export function windowOf(
  bench: Bench,
  { fine }: Scenario,
  call: Call,
  on: { schedule: string; cursor: Instant | null; order: number },
): Window {
  const nonce = bench.token();
  let at = on.cursor ?? first(bench, fine);
  const instants = call.slots.map(({ minutes }) => {
    at += BigInt(minutes) * minute;
    return at;
  });
  const slots = call.slots.map(({ ends, options }, i) => {
    const child = { token: `${nonce}-${i}`, rank: 20 * (on.order + 1) + i, bare: !options };
    const slot = slotAt(bench, instants[i]!, child);
    const next = instants[i + 1];
    return { ...slot, next: ends ? null : next === undefined ? slot.next : instantText(next) };
  });
  return {
    schedule: on.schedule,
    expectedVersion: call.version === 'right' ? version : version - 1,
    expectedCursor: expectedCursor(call.cursor, on.cursor),
    auditLevel: call.level,
    // Long ago and whole seconds: no other clock shows it, and every resolution keeps it.
    now: new Date(Date.UTC(2022, 4, 6, 7, 8, on.order)).toISOString(),
    slots,
  };
}

function slotAt(bench: Bench, at: Instant, child: { token: string; rank: number; bare?: boolean }): Slot {
  const { token, rank, bare } = child;
  const options = bare ? [] : offeredOptions(bench).map((option) => [option, optionValue(option, rank)] as const);
  return {
    at: instantText(at),
    next: instantText(at + minute),
    child: { body: body(bench, token, rank), ...Object.fromEntries(options) },
  };
}

function expectedCursor(kind: Call['cursor'], cursor: Instant | null): string | null {
  if (cursor === null || kind === 'none') return null;
  if (kind === 'wrong') return instantText(cursor - minute);
  return kind === 'right' ? instantText(cursor) : elsewhere(cursor);
}

/** The same instant in a zone five and a half hours ahead. */
export function elsewhere(instant: Instant): string {
  return instantText(instant + 330n * minute).replace('Z', '+05:30');
}

/** The first slot of a scenario: at a whole minute, or a little after. */
function first({ declaration }: Bench, fine: boolean): Instant {
  return origin + (fine ? floored(123_456n, declaration.timeResolution) : 0n);
}
