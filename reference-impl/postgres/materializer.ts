import type { ClientBase } from 'pg';
import {
  type Advance,
  type AdvanceOutcome,
  type Declaration,
  type Entry,
  type Expected,
  type MaterializeWindowPort,
  type Offer,
  type PostgresSite,
  refuseOthers,
  type Schedule,
  type SingleSlot,
  type SlotOutcome,
  type SlotResult,
  type Window,
  type WindowOptions,
  type WindowResult,
} from '../../index.ts';
import {
  checkedCursor,
  childOffers,
  type NewSlot,
  readCall,
  readSlots,
  untilTheEnd,
  windowDeclaration,
} from '../window.ts';
import { Database } from './database.ts';
import { classified } from './server-errors.ts';
import { windowSchema, windowStatements } from './window-schema.ts';
import { readStanding, type WindowAlgorithm, type Writing, type Written } from './window-writing.ts';

const offers: Offer[] = [...childOffers, 'cancel'];

/** A variant of `materialize-window` on PostgreSQL: how it writes, and what it says of itself. */
export function materializeWindowBy(
  algorithm: WindowAlgorithm,
  own: Partial<Declaration>,
  functions = '',
): Entry<'materialize-window', PostgresSite> {
  return {
    declare: {
      ...windowDeclaration,
      offers,
      extras: ['audit', 'uniqueSlot', 'durable', 'persistent'],
      timeResolution: 0.001,
      ...own,
    },
    ...windowStatements,
    open: async ({ url }) => new Materializer(await Database.open(url, windowSchema + functions), algorithm),
  };
}

/** Every call is read as a whole before the first await: what the caller does to it later changes nothing. */
class Materializer implements MaterializeWindowPort {
  readonly #database: Database;
  readonly #algorithm: WindowAlgorithm;

  constructor(database: Database, algorithm: WindowAlgorithm) {
    this.#database = database;
    this.#algorithm = algorithm;
  }

  async putSchedules(schedules: readonly Schedule[]): Promise<void> {
    const column = (read: (schedule: Schedule) => unknown) => schedules.map(read);
    const values = [
      column(({ id }) => id),
      column(({ status }) => status),
      column(({ version }) => version),
      column(({ cursor }) => checkedCursor(cursor)),
      column(({ runs }) => runs),
      column(({ error }) => error),
    ];
    await this.#run('statement', {}, (client) => client.query({ name: 'put-schedules', text: putSchedules, values }));
  }

  async materializeWindow(window: Window, options: WindowOptions): Promise<WindowResult> {
    const slots = readSlots(window.slots, options, offers);
    if (slots.length === 0) {
      const standing = await this.#run('statement', options, (client) => readStanding(client, window.schedule));
      return { outcomes: [], ...standing };
    }
    const live = untilTheEnd(slots);
    const written = await this.#write(window, live, live.at(-1)!.next, 'advances', options);
    const { cursor, runs } = written;
    return { outcomes: outcomesOf(written, slots.length, live.length), cursor, runs };
  }

  async materialize(single: SingleSlot, options: WindowOptions): Promise<SlotResult> {
    const [slot] = readSlots([single.slot], options, offers);
    const written = await this.#write(single, [slot!], slot!.next, 'stays', options);
    const { cursor, runs } = written;
    return { outcome: outcomesOf(written, 1, 1)[0]!, cursor, runs };
  }

  async advance(advance: Advance, options: WindowOptions): Promise<AdvanceOutcome> {
    refuseOthers(offers, [], options);
    const { loss } = await this.#write(advance, [], checkedCursor(advance.next), 'advances', options);
    return loss ?? 'advanced';
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  async #write(
    expected: Expected,
    slots: readonly NewSlot[],
    next: string | null,
    pastTaken: 'advances' | 'stays',
    options: WindowOptions,
  ): Promise<Written> {
    const call = readCall(expected, (at) => at);
    const writing: Writing = { ...call, slots, next, advances: pastTaken === 'advances' };
    const { write, commitsItself } = this.#algorithm;
    return this.#run(commitsItself ? 'statement' : 'transaction', options, (client) => write(client, writing));
  }

  async #run<T>(
    how: 'statement' | 'transaction',
    { signal }: WindowOptions,
    work: (client: ClientBase) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#database.within(signal)[how](work);
    } catch (error) {
      throw classified(error);
    }
  }
}

/** In the order of the ids: two sessions that put the same schedules in opposite orders would block each other. */
const putSchedules = `
  INSERT INTO schedules (id, status, version, cursor, runs, error)
  SELECT *
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::integer[], $6::text[])
    AS put (id, status, version, cursor, runs, error)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, version = excluded.version, cursor = excluded.cursor,
                                 runs = excluded.runs, error = excluded.error, last_run_at = NULL
`;

/** An outcome for each of `count` slots, of which the first `live` ones were tried; the created ones come in any order. */
function outcomesOf({ loss, created }: Written, count: number, live: number): SlotOutcome[] {
  const ids = new Map(created.map(({ position, id }) => [position, id]));
  return Array.from({ length: count }, (_, position) => {
    if (loss) return loss;
    if (position >= live) return 'parent-inactive';
    const id = ids.get(position);
    return id === undefined ? 'already-exists' : { created: id };
  });
}
