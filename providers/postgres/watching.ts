import type { Client } from 'pg';
import type { Sample, SampleBy, SeenStatement, Watch, Watched } from '../../contracts/kernel/engine.ts';
import { Spread } from '../spread.ts';
import { type Moment, parameterCount, type Tap, type WireStatement } from '../wire/index.ts';
import { read } from './content.ts';
import { isLockTimeout, messageOf } from './errors.ts';
import { quoteName } from './sql.ts';

/** Milliseconds that the other reader waits for a lock; the subject is held meanwhile. */
const patience = 100;

/** Records what passes the tap; with `sample`, another reader, on a connection of its own, looks at every moment. */
export async function watch(tap: Tap, openReader: () => Promise<Client>, sample?: SampleBy): Promise<Watch> {
  const looking = sample && new Looking(await openReader(), sampleQuery(sample));
  try {
    // A statement that cannot be read by at all is the caller's mistake: let it be known at once.
    await looking?.begin();
  } catch (cause) {
    await looking?.end();
    throw cause;
  }
  const recording = tap.record(looking ? { between: (moment) => looking.look(moment) } : {});
  let watched: Promise<Watched> | undefined;
  const stop = async (): Promise<Watched> => {
    try {
      const { statements, roundTrips, interference, commits } = await recording.stop();
      const samples = looking?.samples ?? [];
      return {
        statements: statements.map(withBound),
        interference,
        roundTrips,
        samples,
        commits,
      };
    } finally {
      await looking?.end();
    }
  };
  return {
    stop: () => {
      watched ??= stop();
      return watched;
    },
  };
}

function withBound(statement: WireStatement): SeenStatement {
  return { ...statement, bound: parameterCount(statement.parameters ?? []) };
}

function sampleQuery(sample: SampleBy): string {
  if ('statement' in sample) return sample.statement;
  const counts = sample.tables.map((table) => `(SELECT count(*) FROM ${quoteName(table)}) AS ${quoteName(table)}`);
  return `SELECT ${counts.join(', ')}`;
}

/** The other reader, and what it saw. */
class Looking {
  readonly samples: Sample[] = [];
  readonly #reader: Client;
  readonly #query: string;
  /** Of samples that are alike only some are kept. */
  readonly #kept = new Spread(400, 1.05);
  #last: string | undefined;
  /** Moments of several connections can come at once, and the reader has one connection. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(reader: Client, query: string) {
    this.#reader = reader;
    this.#query = query;
  }

  async begin(): Promise<void> {
    await this.#reader.query(`SET lock_timeout = ${patience}`);
    await read(this.#reader, this.#query);
  }

  look(moment: Moment): Promise<void> {
    const look = this.#before.then(() => this.#look(moment));
    this.#before = look.catch(() => {});
    return look;
  }

  async #look(moment: Moment): Promise<void> {
    const { statements, inFlight: before } = moment;
    const found = await this.#found();
    const inFlight = before && moment.inFlight;
    const text = fingerprint(found, inFlight);
    if (this.#kept.take() || text !== this.#last) this.samples.push({ statements, inFlight, found });
    this.#last = text;
  }

  async end(): Promise<void> {
    await this.#reader.end();
  }

  async #found(): Promise<Sample['found']> {
    try {
      return await read(this.#reader, this.#query);
    } catch (cause) {
      if (isLockTimeout(cause)) return { refused: messageOf(cause) };
      throw cause;
    }
  }
}

function fingerprint(found: Sample['found'], inFlight: boolean): string {
  const exact = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
  return JSON.stringify([inFlight, found], exact);
}
