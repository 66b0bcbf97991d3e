import { type ClientBase, DatabaseError, Pool, type PoolClient } from 'pg';
import { AnswerLost } from './answer-lost.ts';
import { untilAborted } from './until-aborted.ts';

/** Connections that one sender opens at most. */
const connections = 4;

/**
 * A message store on a server, reached by a pool of connections.
 *
 * When the signal of a call aborts, its connection is cut off, so that the call settles at once whatever the server is
 * doing. The server finds the connection gone when it next reads or writes there, and undoes the open transaction. The
 * call has failed, then; only once its commit may be on the way can nobody tell, and it throws `AnswerLost`.
 */
export class Database {
  readonly #pool: Pool;
  readonly #signal: AbortSignal | undefined;

  private constructor(pool: Pool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  /** Connects, and creates what the script creates; its statements are one transaction. */
  static async open(url: string, schema: string): Promise<Database> {
    const pool = new Pool({ connectionString: url, max: connections });
    // Where a connection ends, the statement that runs on it fails, and an idle one is replaced. Without these
    // listeners it would end the process as well.
    pool.on('error', () => {});
    pool.on('connect', (client) => void client.on('error', () => {}));
    // Where this fails, the pool closes the connection on which it did, the only one that it has.
    await pool.query(schema);
    return new Database(pool);
  }

  /** The same store and the same connections, for a call that the signal cancels. */
  within(signal: AbortSignal | undefined): Database {
    return new Database(this.#pool, signal);
  }

  /** Runs `work`, which is one statement that commits itself. */
  statement<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    // After an error nobody can tell here in which state the connection is; another one is opened when it is needed.
    return this.#connected(
      (client) => committed(work(client)),
      () => Promise.reject(),
    );
  }

  /** Runs `work` in a transaction on one connection: all of it is committed, or none. */
  transaction<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const whole = async (client: PoolClient) => {
      await client.query('BEGIN');
      const result = await work(client);
      this.#signal?.throwIfAborted();
      await commit(client);
      return result;
    };
    // A connection that cannot even roll back is closed, and with it the server undoes the transaction.
    return this.#connected(whole, (client) => client.query('ROLLBACK'));
  }

  /** Ends the connections, once what runs on them has ended. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Runs `work` on a connection. After an error the connection is used again only if it could be mended. */
  async #connected<T>(
    work: (client: PoolClient) => Promise<T>,
    mend: (client: PoolClient) => Promise<unknown>,
  ): Promise<T> {
    const signal = this.#signal;
    const client = await this.#connect();
    const cutOff = () => void client.end();
    signal?.addEventListener('abort', cutOff);
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      await mend(client).catch(() => {
        broken = true;
      });
      // The first error is the one to report; what the cut-off made fail has failed by the signal.
      throw signal?.aborted && !(error instanceof AnswerLost) ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', cutOff);
      client.release(broken);
    }
  }

  /** A connection of the pool; one that comes only after the signal has aborted goes back. */
  async #connect(): Promise<PoolClient> {
    this.#signal?.throwIfAborted();
    const connecting = this.#pool.connect();
    try {
      return await untilAborted(connecting, this.#signal);
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }
}

/** Commits the transaction that is open on the connection. */
export async function commit(client: ClientBase): Promise<void> {
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
