import { Client, type ClientBase } from 'pg';
import type { CallersTransaction } from '../../index.ts';
import { NotOpenHere } from '../not-open-here.ts';
import { commit } from './database.ts';

/**
 * Transactions of callers, each on a connection of its own, which is their handle.
 *
 * A batch inside of one is a savepoint: when it fails, what the caller did before is still there, and nothing of the
 * batch. The transaction is the caller's: it is neither ended here nor is its connection closed before its end.
 */
export class CallersTransactions {
  readonly #url: string;
  /** For each that is open, the end of the last batch in it. */
  readonly #open = new Map<unknown, Promise<unknown>>();

  constructor(url: string) {
    this.#url = url;
  }

  async begin(): Promise<CallersTransaction> {
    const client = new Client(this.#url);
    // A connection that ends fails what runs on it; without this listener it would end the process as well.
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN');
    this.#open.set(client, Promise.resolve());
    return {
      handle: client,
      run: async (statement) => void (await client.query(statement)),
      commit: () => this.#end(client, commit),
      rollback: () => this.#end(client, () => client.query('ROLLBACK')),
    };
  }

  /** Runs `work` inside the caller's transaction: all of it is done there, or nothing. */
  within<T>(handle: unknown, work: (client: ClientBase) => Promise<T>): Promise<T> {
    const before = this.#open.get(handle);
    if (!before) throw new NotOpenHere();
    const client = handle as ClientBase;
    // One batch at a time: the savepoint of a second would lie inside that of the first and be undone with it.
    const batch = before.then(() => savepoint(client, () => work(client)));
    this.#open.set(
      handle,
      batch.catch(() => {}),
    );
    return batch;
  }

  /** Ends the transactions that are still open, as their connections' end does. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((client) => (client as Client).end()));
  }

  async #end(client: Client, end: (client: Client) => Promise<unknown>): Promise<void> {
    const batches = this.#open.get(client);
    if (!batches) throw new NotOpenHere();
    this.#open.delete(client);
    await batches;
    try {
      await end(client);
    } finally {
      await client.end();
    }
  }
}

async function savepoint<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('SAVEPOINT batch');
  try {
    const result = await work();
    await client.query('RELEASE batch');
    return result;
  } catch (error) {
    // The first error is the one to report. A connection that cannot go back is broken, and its transaction with it.
    await client.query('ROLLBACK TO batch; RELEASE batch').catch(() => {});
    throw error;
  }
}
