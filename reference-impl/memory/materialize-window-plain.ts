import type {
  Advance,
  AdvanceOutcome,
  Entry,
  Expected,
  MaterializeWindowPort,
  MemorySite,
  Schedule,
  SingleSlot,
  SlotLoss,
  SlotOutcome,
  SlotResult,
  Standing,
  Window,
  WindowOptions,
  WindowResult,
} from '../../index.ts';
import { openStore, type Row, type Store, type Transaction } from '../../memory.ts';
import { auditedAt, checkedCursor, mostRuns, type NewSlot, readSlots, windowDeclaration } from '../window.ts';
import { atomically } from './atomically.ts';

const tables = { schedules: 'schedules', children: 'occurrences', audits: 'audits' } as const;

/** A window is one insert into each of two tables and one update of the schedule, in one transaction. */
export const plain: Entry<'materialize-window', MemorySite> = {
  declare: windowDeclaration,
  rows: tables.children,
  schedules: `${tables.schedules} by schedule`,
  audits: tables.audits,
  open(site) {
    const store = openStore(site.name);
    for (const table of Object.values(tables)) store.createTable(table);
    return new PlainMaterializer(store);
  },
};

/** A schedule in the store: instants as epoch milliseconds. */
interface StoredSchedule {
  id: number;
  schedule: string;
  status: Schedule['status'];
  version: number;
  cursor: number | null;
  runs: number | null;
  error: string | null;
  lastRunAt: number | null;
}

class PlainMaterializer implements MaterializeWindowPort {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  putSchedules(schedules: readonly Schedule[]): void {
    atomically(this.#store, (transaction) => {
      for (const { id: schedule, cursor, ...rest } of schedules) {
        const row = { ...rest, schedule, cursor: epoch(cursor), lastRunAt: null };
        const there = find(transaction, schedule);
        if (there) transaction.update(tables.schedules, there.id, row);
        else transaction.insert(tables.schedules, row);
      }
    });
  }

  materializeWindow(window: Window, options: WindowOptions): WindowResult {
    const slots = readSlots(window.slots, options, windowDeclaration.offers!);
    return atomically(this.#store, (transaction) => write(transaction, window, slots, 'advances'));
  }

  materialize(single: SingleSlot, options: WindowOptions): SlotResult {
    const slots = readSlots([single.slot], options, windowDeclaration.offers!);
    const { outcomes, ...standing } = atomically(this.#store, (transaction) =>
      write(transaction, single, slots, 'stays'),
    );
    return { outcome: outcomes[0]!, ...standing };
  }

  advance(advance: Advance): AdvanceOutcome {
    const next = checkedCursor(advance.next);
    return atomically(this.#store, (transaction) => {
      const parent = find(transaction, advance.schedule);
      const loss = lossOf(parent, advance);
      if (loss) return loss as Exclude<SlotLoss, 'already-exists'>;
      move(transaction, parent!, advance, epoch(next), parent!.runs);
      return 'advanced';
    });
  }
}

/** Writes the slots that are free; past one that is taken the cursor goes on, or the call leaves it where it is. */
function write(
  transaction: Transaction,
  expected: Expected,
  slots: readonly NewSlot[],
  pastTaken: 'advances' | 'stays',
): WindowResult {
  const parent = find(transaction, expected.schedule);
  const loss = lossOf(parent, expected);
  if (loss) return { outcomes: slots.map(() => loss), ...standingOf(parent) };
  const taken = slotsOf(transaction, expected.schedule);
  const createdAt = epoch(expected.now);
  let cursor = parent!.cursor;
  const free: Row[] = [];
  const outcomes = slots.map((slot): SlotLoss | 'free' => {
    if (cursor === null) return 'parent-inactive';
    const slotAt = epoch(slot.at)!;
    const isTaken = taken.has(slotAt);
    if (!isTaken || pastTaken === 'advances') cursor = epoch(slot.next);
    if (isTaken) return 'already-exists';
    taken.add(slotAt);
    free.push(newChild(expected.schedule, slotAt, slot, createdAt));
    return 'free';
  });
  const ids = transaction.insertMany(tables.children, free);
  if (auditedAt(expected.auditLevel).created) {
    const audits = free.map(({ slotAt }) => audit(expected, 'created', slotAt as number));
    transaction.insertMany(tables.audits, audits);
  }
  if (cursor !== parent!.cursor || free.length > 0) {
    const runs = free.length === 0 ? parent!.runs : Math.min(mostRuns, (parent!.runs ?? 0) + free.length);
    move(transaction, parent!, expected, cursor, runs);
  }
  const left = ids.values();
  return {
    outcomes: outcomes.map((outcome): SlotOutcome => (outcome === 'free' ? { created: left.next().value! } : outcome)),
    ...standingOf(find(transaction, expected.schedule)),
  };
}

/** Moves the cursor and sets the run count; without a next slot the schedule is completed. */
function move(
  transaction: Transaction,
  { id }: StoredSchedule,
  expected: Expected,
  cursor: number | null,
  runs: number | null,
): void {
  if (cursor !== null) {
    transaction.update(tables.schedules, id, { cursor, runs });
    return;
  }
  const lastRunAt = epoch(expected.now);
  transaction.update(tables.schedules, id, { cursor, runs, status: 'completed', error: null, lastRunAt });
  if (auditedAt(expected.auditLevel).completed) transaction.insert(tables.audits, audit(expected, 'completed', null));
}

function newChild(schedule: string, slotAt: number, slot: NewSlot, createdAt: number | null): Row {
  const { body, delay, expiration, route, priority } = slot;
  const dueAt = slotAt + (delay ?? 0);
  const expiresAt = expiration === null ? null : slotAt + expiration;
  return { schedule, slotAt, body, dueAt, expiresAt, route, priority, status: 'waiting', attempts: 0, createdAt };
}

function audit({ schedule, now }: Expected, event: 'created' | 'completed', slotAt: number | null): Row {
  return { schedule, event, slotAt, createdAt: epoch(now) };
}

function lossOf(parent: StoredSchedule | undefined, expected: Expected): SlotLoss | undefined {
  if (parent?.status !== 'active' || parent.cursor === null) return 'parent-inactive';
  if (parent.version !== expected.expectedVersion) return 'version-mismatch';
  return parent.cursor === epoch(checkedCursor(expected.expectedCursor)) ? undefined : 'cursor-moved';
}

function standingOf(parent: StoredSchedule | undefined): Standing {
  const cursor = parent?.cursor ?? null;
  return { cursor: cursor === null ? null : new Date(cursor).toISOString(), runs: parent?.runs ?? null };
}

function find(transaction: Transaction, schedule: string): StoredSchedule | undefined {
  const [row] = transaction.rows(tables.schedules, (stored) => stored.schedule === schedule);
  return row as StoredSchedule | undefined;
}

function slotsOf(transaction: Transaction, schedule: string): Set<number> {
  const rows = transaction.rows(tables.children, (stored) => stored.schedule === schedule);
  return new Set(rows.map(({ slotAt }) => slotAt as number));
}

function epoch(at: string): number;
function epoch(at: string | null): number | null;
function epoch(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
