import {
  type Child,
  type Declaration,
  type Expected,
  type Offer,
  refuseOthers,
  type Slot,
  type WindowOptions,
} from '../index.ts';
import { exactJson } from './exact-json.ts';
import { integer, text } from './options.ts';

/** What these backends carry for a child, beside its body. */
export const childOffers: Offer[] = ['delay', 'expiration', 'route', 'priority'];

/** The largest run count; it stays there. */
export const mostRuns = 2 ** 31 - 1;

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
export function auditedAt(level: Expected['auditLevel']): Audited {
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

/** All slots of a window, read and checked before anything is written; what cannot be stored exactly is refused. */
export function readSlots(slots: readonly Slot[], options: WindowOptions, offered: readonly Offer[]): NewSlot[] {
  refuseOthers(offered, [], options);
  return slots.map((slot, position) => {
    try {
      return { at: checkedInstant(slot.at), next: checkedCursor(slot.next), ...readChild(slot.child) };
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

/** Whether the slots ascend and none is before the cursor. */
export function isOrdered(slots: readonly NewSlot[], cursor: string | null): boolean {
  const instants = [...(cursor === null ? [] : [cursor]), ...slots.map(({ at }) => at)].map((at) => Date.parse(at));
  return instants.every((at, i) => i === 0 || at >= instants[i - 1]!);
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
function readChild({ body, delay, expiration, route, priority }: Child): Omit<NewSlot, 'at' | 'next'> {
  return {
    body: exactJson(body),
    delay: offset('delay', delay),
    expiration: offset('expiration', expiration),
    route: text('route', route),
    priority: integer('priority', priority),
  };
}

function offset(option: string, value: unknown): number | null {
  const milliseconds = integer(option, value);
  if (milliseconds !== null && milliseconds < 0) throw new TypeError(`${option} is negative`);
  return milliseconds;
}

/** What all of these backends declare. */
export const windowDeclaration: Partial<Declaration> = { offers: childOffers, onFailure: 'throws', extras: ['audit'] };
