import type {
  Advance,
  AdvanceOutcome,
  Declaration,
  Entry,
  Expected,
  MaterializeWindowPort,
  Schedule,
  SingleSlot,
  SlotOutcome,
  SlotResult,
  SqliteSite,
  Standing,
  Window,
  WindowOptions,
  WindowResult,
} from '../../index.ts';
import { type Call, childOffers, readCall, readSlots, windowDeclaration } from '../window.ts';
import { Connection, survives } from './connection.ts';
import { classified } from './engine-errors.ts';
import { microseconds } from './instants.ts';
import { advanceOne, materializeOne } from './materialize-one.ts';
import { type Occurrence, occurrenceOf } from './occurrences.ts';
import { putSchedule, standingOf, storedCursor } from './schedules.ts';
import { schema, statements } from './window-schema.ts';

/** Writes, inside an open transaction, the slots of a window that can be created, and tells what became of each. */
export type WriteWindow = (
  connection: Connection,
  call: Call<bigint>,
  slots: readonly Occurrence[],
) => readonly SlotOutcome[];

/**
 * A variant of `materialize-window` on SQLite: how it writes a window, and what it says of itself beyond what all say.
 * No call can be cancelled, since the engine runs in the thread of its caller.
 */
export function materializeBy(
  writeWindow: WriteWindow,
  own: Partial<Declaration>,
): Entry<'materialize-window', SqliteSite> {
  return {
    declare: (facts) => ({
      ...windowDeclaration,
      extras: [...windowDeclaration.extras!, 'uniqueSlot', ...survives(facts)],
      timeResolution: 0.001,
      ...own,
    }),
    ...statements,
    open: (site) => new SqliteMaterializer(site.path, writeWindow),
  };
}

class SqliteMaterializer implements MaterializeWindowPort {
  readonly #connection: Connection;
  readonly #writeWindow: WriteWindow;

  constructor(path: string, writeWindow: WriteWindow) {
    this.#connection = new Connection(path);
    this.#connection.createTables(schema);
    this.#writeWindow = writeWindow;
  }

  putSchedules(schedules: readonly Schedule[]): void {
    this.#connection.transaction(() => {
      for (const schedule of schedules) putSchedule(this.#connection, schedule);
    });
  }

  materializeWindow(window: Window, options: WindowOptions): WindowResult {
    const slots = readSlots(window.slots, options, childOffers).map(occurrenceOf);
    return this.#write(window, (call) => ({ outcomes: this.#writeWindow(this.#connection, call, slots) }));
  }

  materialize(single: SingleSlot, options: WindowOptions): SlotResult {
    const [slot] = readSlots([single.slot], options, childOffers).map(occurrenceOf);
    return this.#write(single, (call) => ({ outcome: materializeOne(this.#connection, call, slot!) }));
  }

  advance(advance: Advance): AdvanceOutcome {
    const next = storedCursor(advance.next);
    return this.#write(advance, (call) => ({ outcome: advanceOne(this.#connection, call, next) })).outcome;
  }

  close(): void {
    this.#connection.close();
  }

  /** Does the work in a transaction, and tells how the schedule stands afterwards. */
  #write<T>(expected: Expected, work: (call: Call<bigint>) => T): T & Standing {
    const call = readCall(expected, microseconds);
    try {
      return this.#connection.transaction(() => {
        const result = work(call);
        return { ...result, ...standingOf(this.#connection, call.schedule) };
      });
    } catch (error) {
      throw classified(error);
    }
  }
}
