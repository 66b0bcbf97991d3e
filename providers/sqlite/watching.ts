import type { DatabaseSync } from 'node:sqlite';
import type { Sample, SampleBy, SeenStatement, Watched } from '../../contracts/kernel/engine.ts';
import { commitsOf } from '../commits.ts';
import { Spread, spreadOverRows } from '../spread.ts';
import { read } from './content.ts';
import { isBusy } from './errors.ts';
import { quoteName } from './sql.ts';

/** Reads by a connection of its own, in the subject's thread, between and inside the subject's statements. */
export interface Reader {
  db: DatabaseSync;
  statement: string;
}

/** The reader's query. */
export function sampleQuery(sample: SampleBy): string {
  if ('statement' in sample) return sample.statement;
  const counts = sample.tables.map((table) => `(SELECT count(*) FROM ${quoteName(table)}) AS ${quoteName(table)}`);
  return `SELECT ${counts.join(', ')}`;
}

/** A recording of one site's statements, and of what a reader saw meanwhile. */
export class Recording {
  readonly #reader: Reader | undefined;
  readonly #statements: SeenStatement[] = [];
  readonly #samples: Sample[] = [];
  readonly #kept = new Spread(400, 1.05);
  #rows = spreadOverRows();
  #version: unknown;

  constructor(reader?: Reader) {
    this.#reader = reader;
    // A statement that cannot be read by at all is the caller's mistake: let it be known at once.
    if (reader) this.#found();
  }

  /** A statement is about to run; `inFlight` tells whether a transaction is open already. */
  begin(statement: SeenStatement, inFlight: boolean): void {
    this.look(inFlight);
    this.#statements.push(statement);
    this.#rows = spreadOverRows();
  }

  /** A row has been changed by the running statement. */
  row(): void {
    if (this.#rows.take()) this.look(true);
  }

  /** Takes a sample. Of many that are equal to the one before, only some are kept. */
  look(inFlight: boolean): void {
    if (!this.#reader) return;
    const last = this.#samples.at(-1);
    const found = this.#found(last?.found);
    if (this.#kept.take() || !same(found, last?.found) || inFlight !== last?.inFlight) {
      this.#samples.push({ statements: this.#statements.length, inFlight, found });
    }
  }

  report(): Watched {
    return { statements: this.#statements, samples: this.#samples, commits: commitsOf(this.#statements) };
  }

  close(): void {
    this.#reader?.db.close();
  }

  #found(last?: Sample['found']): Sample['found'] {
    const { db, statement } = this.#reader!;
    try {
      const version = db.prepare('PRAGMA data_version').get()?.data_version;
      // Nobody has committed since the last look: what was found then is still what is there.
      if (last && !('refused' in last) && version === this.#version) return last;
      const found = read(db, statement);
      this.#version = version;
      return found;
    } catch (cause) {
      if (isBusy(cause)) return { refused: (cause as Error).message };
      throw cause;
    }
  }
}

function same(a: Sample['found'], b: Sample['found'] | undefined): boolean {
  return a === b || (b !== undefined && 'refused' in a && 'refused' in b);
}
