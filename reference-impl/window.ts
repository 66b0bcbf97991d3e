import {
  type Declaration,
  type Expected,
  type Offer,
  refuseOthers,
  type Slot,
  type SlotLoss,
  type WindowOptions,
} from '../index.ts';
import { exactJson } from './exact-json.ts';
import { integer, text } from './options.ts';

/** What these backends carry for a child, beside its body. */
export const childOffers: Offer[] = ['delay', 'expiration', 'route', 'priority'];

/** Why a schedule cannot be served. */
export type ParentLoss = Exclude<SlotLoss, 'already-exists'>;

/** The largest run count; it stays there. */
const mostRuns = 2 ** 31 - 1;

/** A slot as it is stored: instants as the caller wrote them, JSON as text, null for what he left out. */
export interface NewSlot {
  at: string;
  next: string | null;
  body: string;
  delay: number | null;
  expiration: number | null;
  route: string | null;
  priority: number | null;
}

/** What a call is to leave in the audit. */
export interface Audited {
  /** A row for each child that it creates. */
  created: boolean;
  /** A row when the schedule is completed. */
  completed: boolean;
}

/** A level that is unknown audits everything. */
function auditedAt(level: Expected['auditLevel']): Audited {
  switch (level) {
    case 'none':
    case 'errors-only':
      return { created: false, completed: false };
    case 'minimal':
      return { created: false, completed: true };
    default:
      return { created: true, completed: true };
  }
}

/** What a call expects of its schedule, and is to leave behind; instants as the backend stores them. */
export interface Call<Instant> {
  schedule: string;
  version: number;
  cursor: Instant | null;
  now: Instant;
  audited: Audited;
}

export function readCall<Instant>(expected: Expected, stored: (at: string) => Instant): Call<Instant> {
  const cursor = checkedCursor(expected.expectedCursor);
  return {
    schedule: expected.schedule,
    version: expected.expectedVersion,
    cursor: cursor === null ? null : stored(cursor),
    now: stored(checkedInstant(expected.now)),
    audited: auditedAt(expected.auditLevel),
  };
}

/** All slots of a window, read and checked before anything is written; what cannot be stored exactly is refused. */
export function readSlots(slots: readonly Slot[], options: WindowOptions, offered: readonly Offer[]): NewSlot[] {
  refuseOthers(offered, [], options);
  return slots.map((slot, position) => {
    try {
      return { at: checkedInstant(slot.at), next: checkedCursor(slot.next), ...readChild(slot) };
    } catch (error) {
      throw new SlotRefused(position, error);
    }
  });
}

/** A slot that cannot be stored as it is; the cause says why. */
export class SlotRefused extends TypeError {
  override name = 'SlotRefused';
  readonly position: number;
  readonly retryable = false;

  constructor(position: number, cause: unknown) {
    super(`slot ${position} cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.position = position;
  }
}

/** Refuses slots that do not ascend, and those before the cursor; equal ones may follow each other. */
export function refuseDisorder(slots: readonly NewSlot[], cursor: string | null): void {
  let earliest = cursor === null ? Number.NEGATIVE_INFINITY : Date.parse(cursor);
  for (const [position, { at }] of slots.entries()) {
    const instant = Date.parse(at);
    if (instant < earliest) {
      const before = position === 0 ? 'the expected cursor' : 'the slot in front of it';
      throw new SlotRefused(position, new RangeError(`${at} is before ${before}`));
    }
    earliest = instant;
  }
}

/** The slots up to the end of the grid, where the schedule is completed: those after it are not served. */
export function untilTheEnd<S extends { next: unknown }>(slots: readonly S[]): readonly S[] {
  const end = slots.findIndex(({ next }) => next === null);
  return end < 0 ? slots : slots.slice(0, end + 1);
}

/** Why nothing of a schedule can be created, by the first reason that holds; instants as the backend stores them. */
export function lossOf<Instant>(
  parent: { status: string; version: number | bigint; cursor: Instant | null } | undefined,
  expected: Pick<Call<Instant>, 'version' | 'cursor'>,
): ParentLoss | undefined {
  if (parent?.status !== 'active' || parent.cursor === null) return 'parent-inactive';
  if (Number(parent.version) !== expected.version) return 'version-mismatch';
  return parent.cursor === expected.cursor ? undefined : 'cursor-moved';
}

/** The run count after so many more children. */
export function runsAfter(runs: number | null, created: number): number | null {
  return created === 0 ? runs : Math.min(mostRuns, (runs ?? 0) + created);
}

/** ISO 8601 text with an offset; anything else would mean another instant elsewhere. */
export function checkedInstant(value: unknown): string {
  const isInstant =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(value);
  if (!isInstant || Number.isNaN(Date.parse(value)))
    throw new TypeError(`${String(value)} is no instant with an offset`);
  return value;
}

export function checkedCursor(value: unknown): string | null {
  return value === null ? null : checkedInstant(value);
}

/** Of the caller's object the child has these fields and no other. */
function readChild({ at, child }: Slot): Omit<NewSlot, 'at' | 'next'> {
  const { body, delay, expiration, route, priority } = child;
  return {
    body: exactJson(body),
    delay: offset('delay', delay, at),
    expiration: offset('expiration', expiration, at),
    route: text('route', route),
    priority: integer('priority', priority),
  };
}

/** Milliseconds from the slot to an instant that is still a safe integer. */
function offset(option: string, value: unknown, at: string): number | null {
  const milliseconds = integer(option, value);
  if (milliseconds === null) return null;
  if (milliseconds < 0 || !Number.isSafeInteger(Date.parse(at) + milliseconds)) {
    throw new TypeError(`${option} is out of range`);
  }
  return milliseconds;
}

/** What all of these backends declare. */
export const windowDeclaration: Partial<Declaration> = { offers: childOffers, onFailure: 'throws', extras: ['audit'] };
