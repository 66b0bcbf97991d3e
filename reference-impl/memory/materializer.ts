import type {
  Advance,
  AdvanceOutcome,
  Expected,
  MaterializeWindowPort,
  Schedule,
  SingleSlot,
  SlotOutcome,
  SlotResult,
  WindowOptions,
  WindowResult,
} from '../../index.ts';
import type { Row, Store, Transaction } from '../../memory.ts';
import {
  type Call,
  checkedCursor,
  childOffers,
  lossOf,
  type NewSlot,
  readCall,
  readSlots,
  runsAfter,
  untilTheEnd,
} from '../window.ts';
import { atomically } from './atomically.ts';
import { epoch, findSchedule, moveSchedule, putSchedule, standingOf, tables } from './schedules.ts';

/** Materializes one slot a call, each call in a transaction of its own; the whole of it runs before anybody else does. */
export class Materializer implements MaterializeWindowPort {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    for (const table of Object.values(tables)) store.createTable(table);
  }

  putSchedules(schedules: readonly Schedule[]): void {
    atomically(this.#store, (transaction) => {
      for (const schedule of schedules) putSchedule(transaction, schedule);
    });
  }

  materialize(single: SingleSlot, options: WindowOptions): SlotResult {
    const slots = readSlots([single.slot], options, childOffers);
    const { outcomes, ...standing } = this.write(single, slots, 'stays');
    return { outcome: outcomes[0]!, ...standing };
  }

  advance(advance: Advance): AdvanceOutcome {
    const call = readCall(advance, Date.parse);
    const next = epoch(checkedCursor(advance.next));
    return atomically(this.#store, (transaction) => {
      const parent = findSchedule(transaction, call.schedule);
      const loss = lossOf(parent, call);
      if (loss) return loss;
      moveSchedule(transaction, parent!, call, next, parent!.runs);
      return 'advanced';
    });
  }

  /** Writes the slots that are free, in one transaction; past one that is taken the cursor moves on, or stays. */
  protected write(expected: Expected, slots: readonly NewSlot[], pastTaken: 'moves' | 'stays'): WindowResult {
    const call = readCall(expected, Date.parse);
    return atomically(this.#store, (transaction) => {
      const parent = findSchedule(transaction, call.schedule);
      const loss = lossOf(parent, call);
      if (loss) return { outcomes: slots.map(() => loss), ...standingOf(parent) };
      const served = untilTheEnd(slots);
      const outcomes = insertFree(transaction, call, served);
      const created = outcomes.filter((outcome) => typeof outcome === 'object').length;
      const last = served.at(-1);
      if (last && (created > 0 || pastTaken === 'moves'))
        moveSchedule(transaction, parent!, call, epoch(last.next), runsAfter(parent!.runs, created));
      return {
        outcomes: slots.map((_, i) => outcomes[i] ?? 'parent-inactive'),
        ...standingOf(findSchedule(transaction, call.schedule)),
      };
    });
  }
}

/** Inserts the slots that no child has, by one operation on each table. Of equal ones the first is free. */
function insertFree(transaction: Transaction, call: Call<number>, slots: readonly NewSlot[]): SlotOutcome[] {
  const { schedule, now: createdAt } = call;
  const children = transaction.rows(tables.children, (child) => child.schedule === schedule);
  const taken = new Set(children.map(({ slotAt }) => slotAt));
  const free = new Map<NewSlot, Row>();
  for (const slot of slots) {
    const child = childOf(call, slot);
    if (!taken.has(child.slotAt)) free.set(slot, child);
    taken.add(child.slotAt);
  }
  const rows = [...free.values()];
  const ids = transaction.insertMany(tables.children, rows).values();
  if (call.audited.created) {
    const audits = rows.map(({ slotAt }) => ({ schedule, event: 'created', slotAt, createdAt }));
    transaction.insertMany(tables.audits, audits);
  }
  return slots.map((slot) => (free.has(slot) ? { created: ids.next().value! } : 'already-exists'));
}

function childOf({ schedule, now: createdAt }: Call<number>, slot: NewSlot): Row {
  const { body, delay, expiration, route, priority } = slot;
  const slotAt = Date.parse(slot.at);
  const dueAt = slotAt + (delay ?? 0);
  const expiresAt = expiration === null ? null : slotAt + expiration;
  return { schedule, slotAt, body, dueAt, expiresAt, route, priority, status: 'waiting', attempts: 0, createdAt };
}
