import { tokenIn } from '../kernel/bodies.ts';
import { givenInstant, type Instant, milliseconds } from './instants.ts';
import type { Advance, AdvanceOutcome, Expected, Schedule, SingleSlot, Slot, SlotLoss, Window } from './port.ts';

/** The largest run count; it stays there. */
const mostRuns = 2_147_483_647;

/** When something was stamped: at an instant, at some moment between two, or not at all. */
export type Stamp = Instant | { from: Instant; to: Instant } | null;

export interface ScheduleState {
  id: string;
  status: string;
  version: number;
  cursor: Instant | null;
  runs: number | null;
  error: string | null;
  /** Any of these is right. */
  lastRunAt: Stamp[];
}

export interface ChildState {
  /** Absent in the model: the backend gives it. */
  id?: string;
  /** The nonce in its body. */
  token: string | undefined;
  schedule: string;
  slotAt: Instant;
  body: unknown;
  dueAt: Instant | null;
  expiresAt: Instant | null;
  route: string | null;
  priority: number | null;
  /** Absent where the rows show none. */
  createdAt?: Stamp;
}

export interface AuditState {
  schedule: string;
  event: string;
  slotAt: Instant | null;
  createdAt: Stamp;
}

/** Everything that is stored. */
export interface State {
  schedules: ScheduleState[];
  children: ChildState[];
  /** Null where no audit is kept. */
  audits: AuditState[] | null;
}

/** What became of a slot: the child that was created, by the nonce in its body, or the reason why it was not. */
export type ModelOutcome = { created: string | undefined } | SlotLoss;

/** Where the schedule stands when a call has ended; null for one that is not there. */
export interface ModelStanding {
  cursor: Instant | null;
  runs: number | null;
}

export interface ModelWindowResult extends ModelStanding {
  outcomes: ModelOutcome[];
}

export interface ModelSlotResult extends ModelStanding {
  outcome: ModelOutcome;
}

/** What a level leaves in the audit; one that is not named here leaves what `full` does. */
const audited: Record<string, readonly string[]> = {
  full: ['created', 'completed'],
  minimal: ['completed'],
  'errors-only': [],
  none: [],
};

/**
 * What a backend owes, in memory and one slot at a time. It begins with a state of its own, a copy of the one given;
 * instants are kept at `resolution`, in milliseconds. A call is given the stamp that its backend is to leave.
 */
export class Model {
  readonly state: State;
  readonly #resolution: number;

  constructor(state: State, resolution: number) {
    this.state = structuredClone(state);
    this.#resolution = resolution;
  }

  /** Makes schedules what they are given as; a run that was stamped may be forgotten, or not. */
  putSchedules(schedules: readonly Schedule[]): void {
    for (const { id, status, version, cursor, runs, error } of schedules) {
      const there = this.#find(id);
      const put: ScheduleState = {
        ...{ id, status, version, runs, error, cursor: this.#cursor(cursor) },
        lastRunAt: [null, ...(there?.lastRunAt ?? [])],
      };
      if (there) Object.assign(there, put);
      else this.state.schedules.push(put);
    }
  }

  /** The fold: one slot after the other, each by what the slots before it have left. */
  materializeWindow({ slots, ...expected }: Window, stamp: Stamp): ModelWindowResult {
    let cursor = expected.expectedCursor;
    const outcomes = slots.map((slot) => {
      const { outcome } = this.materialize({ ...expected, expectedCursor: cursor, slot }, stamp);
      if (outcome === 'already-exists') this.advance({ ...expected, expectedCursor: cursor, next: slot.next }, stamp);
      if (typeof outcome === 'object' || outcome === 'already-exists') cursor = slot.next;
      return outcome;
    });
    return { outcomes, ...this.#standing(expected.schedule) };
  }

  materialize({ slot, ...expected }: SingleSlot, stamp: Stamp): ModelSlotResult {
    const outcome = this.#create(expected, slot, stamp);
    return { outcome, ...this.#standing(expected.schedule) };
  }

  advance({ next, ...expected }: Advance, stamp: Stamp): AdvanceOutcome {
    const parent = this.#expected(expected);
    if (typeof parent === 'string') return parent;
    this.#moveTo(parent, next, expected, stamp);
    return 'advanced';
  }

  #create(expected: Expected, slot: Slot, stamp: Stamp): ModelOutcome {
    const parent = this.#expected(expected);
    if (typeof parent === 'string') return parent;
    const slotAt = this.#instant(slot.at);
    const isTaken = this.state.children.some((child) => child.schedule === parent.id && child.slotAt === slotAt);
    if (isTaken) return 'already-exists';
    const { body, delay = 0, expiration, route = null, priority = null } = slot.child;
    const token = tokenIn(body);
    const dueAt = slotAt + milliseconds(delay);
    const expiresAt = expiration === undefined ? null : slotAt + milliseconds(expiration);
    const child = { token, schedule: parent.id, slotAt, body, dueAt, expiresAt, route, priority, createdAt: stamp };
    this.state.children.push(child);
    parent.runs = Math.min((parent.runs ?? 0) + 1, mostRuns);
    parent.lastRunAt.push(stamp);
    this.#audit(expected, 'created', slotAt, stamp);
    this.#moveTo(parent, slot.next, expected, stamp);
    return { created: token };
  }

  /** The schedule, if it stands as the caller expects; else the first reason why it does not. */
  #expected(expected: Expected): ScheduleState | Exclude<SlotLoss, 'already-exists'> {
    const parent = this.#find(expected.schedule);
    if (parent?.status !== 'active' || parent.cursor === null) return 'parent-inactive';
    if (parent.version !== expected.expectedVersion) return 'version-mismatch';
    return parent.cursor === this.#cursor(expected.expectedCursor) ? parent : 'cursor-moved';
  }

  #moveTo(parent: ScheduleState, next: string | null, expected: Expected, stamp: Stamp): void {
    parent.cursor = this.#cursor(next);
    if (next !== null) return;
    parent.status = 'completed';
    parent.error = null;
    parent.lastRunAt = [stamp];
    this.#audit(expected, 'completed', null, stamp);
  }

  #audit({ schedule, auditLevel }: Expected, event: string, slotAt: Instant | null, createdAt: Stamp): void {
    const events = Object.hasOwn(audited, auditLevel) ? audited[auditLevel]! : audited.full!;
    if (events.includes(event)) this.state.audits?.push({ schedule, event, slotAt, createdAt });
  }

  #standing(schedule: string): ModelStanding {
    const { cursor = null, runs = null } = this.#find(schedule) ?? {};
    return { cursor, runs };
  }

  #find(id: string): ScheduleState | undefined {
    return this.state.schedules.find((schedule) => schedule.id === id);
  }

  #cursor(text: string | null): Instant | null {
    return text === null ? null : this.#instant(text);
  }

  #instant(text: string): Instant {
    return givenInstant(text, this.#resolution);
  }
}
