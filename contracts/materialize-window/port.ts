import type { Id } from '../kernel/outcome.ts';

/** How much a call is to leave in the audit; a level that is none of these behaves as `full`. */
export const auditLevels = ['full', 'minimal', 'errors-only', 'none'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** The occurrence that a slot stands for. Whatever else the caller's object carries is not the child's. */
export interface Child {
  body: unknown;
  /** Milliseconds after its slot until it is due. */
  delay?: number;
  /** Milliseconds after its slot until it expires. */
  expiration?: number;
  route?: string;
  /** An integer; what is urgent is the backend's own matter. */
  priority?: number;
}

/** One occurrence of a schedule. All instants are ISO 8601 text with an offset. */
export interface Slot {
  at: string;
  /** The cursor after this slot; null at the end of the grid. */
  next: string | null;
  child: Child;
}

/** What a caller believes of the schedule, and what his call is to leave behind. */
export interface Expected {
  schedule: string;
  expectedVersion: number;
  expectedCursor: string | null;
  auditLevel: AuditLevel | string;
  /** The caller's clock: what the call is stamped with where the declared clock is the caller's. */
  now: string;
}

export interface Window extends Expected {
  slots: readonly Slot[];
}

export interface SingleSlot extends Expected {
  slot: Slot;
}

export interface Advance extends Expected {
  next: string | null;
}

/** Why a slot was not created, in the order in which the reasons are looked for: parent, version, cursor, slot. */
export const slotLosses = ['parent-inactive', 'version-mismatch', 'cursor-moved', 'already-exists'] as const;
export type SlotLoss = (typeof slotLosses)[number];

/** What became of one slot; the id is null where ids are not promised. */
export type SlotOutcome = { created: Id | null } | SlotLoss;

/** Where the schedule stands when a call has ended; null for one that is not there. */
export interface Standing {
  cursor: string | null;
  runs: number | null;
}

export interface WindowResult extends Standing {
  outcomes: readonly SlotOutcome[];
}

export interface SlotResult extends Standing {
  outcome: SlotOutcome;
}

export type AdvanceOutcome = 'advanced' | Exclude<SlotLoss, 'already-exists'>;

/** A schedule as it is stored. */
export interface Schedule {
  id: string;
  status: 'active' | 'completed' | 'cancelled';
  /** Changes when it is rescheduled, and by no call of this port. */
  version: number;
  /** The next slot that is to be materialized; null where there is none. */
  cursor: string | null;
  /** How many children were created, up to 2,147,483,647; null counts as 0. */
  runs: number | null;
  error: string | null;
}

export interface WindowOptions {
  signal?: AbortSignal;
}

type Reported<T> = T | Promise<T>;

/** What an adapter for `materialize-window` implements. */
export interface MaterializeWindowPort {
  /** Makes schedules what they are given as, whatever they were, and leaves their children alone. */
  putSchedules(schedules: readonly Schedule[]): Reported<void>;
  /** Many slots in one commit. A backend without it gives up `bulk`, and is served slot by slot. */
  materializeWindow?(window: Window, options: WindowOptions): Reported<WindowResult>;
  /** One slot. One that is taken leaves the schedule as it is. */
  materialize(single: SingleSlot, options: WindowOptions): Reported<SlotResult>;
  /** Moves the cursor past a slot that is taken; without a next cursor the schedule is completed. */
  advance(advance: Advance, options: WindowOptions): Reported<AdvanceOutcome>;
  close?(): Reported<void>;
}
