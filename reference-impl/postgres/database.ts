import { DatabaseError, Pool, type PoolClient, type QueryConfig } from 'pg';
import { AnswerLost } from './answer-lost.ts';

/** Connections that one sender opens at most. */
const connections = 4;

type Row = Record<string, unknown>;

/** A message store on a server, reached by a pool of connections. */
export class Database {
  readonly #pool: Pool;

  private constructor(url: string) {
    this.#pool = new Pool({ connectionString: url, max: connections });
    // Where a connection ends, the statement that runs on it fails, and an idle one is replaced. Without these
    // listeners it would end the process as well.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Connects, and creates what the script creates; its statements are one transaction. */
  static async open(url: string, schema: string): Promise<Database> {
    const database = new Database(url);
    // Where this fails, the pool closes the connection on which it did, the only one that it has.
    await database.#pool.query(schema);
    return database;
  }

  /** Runs one statement, which commits itself. */
  async statement(query: QueryConfig): Promise<Row[]> {
    const client = await this.#pool.connect();
    let broken: unknown;
    try {
      return await committed(client.query<Row>(query)).then(({ rows }) => rows);
    } catch (error) {
      broken = error;
      throw error;
    } finally {
      // After an error nobody can tell here in which state the connection is; another one is opened when it is needed.
      client.release(broken !== undefined);
    }
  }

  /** Runs `work` in a transaction on one connection: all of it is committed, or none. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await commit(client);
      return result;
    } catch (error) {
      // The first error is the one to report. A connection that cannot even roll back is closed, and with it the
      // server undoes the transaction.
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Ends the connections, once what runs on them has ended. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}

async function commit(client: PoolClient): Promise<void> {
  const { command } = await committed(client.query('COMMIT'));
  // The server takes COMMIT of a failed transaction for ROLLBACK, and calls that a success.
  if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}: nothing was stored`);
}

/** What a committing statement resolves to; an error that leaves open whether it was committed becomes `AnswerLost`. */
async function committed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // What the server says is certain, unless it says that it crashed.
    if (error instanceof DatabaseError && error.code !== crashShutdown) throw error;
    throw new AnswerLost(error);
  }
}

const crashShutdown = '57P02';
