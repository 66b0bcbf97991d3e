import type { CallersTransaction } from '../../index.ts';
import { NotOpenHere } from '../not-open-here.ts';
import { Connection } from './connection.ts';

/**
 * Transactions of callers, each on a connection of its own, which is their handle.
 *
 * A batch inside of one is a savepoint: when it fails, what the caller did before is still there, and nothing of the
 * batch. The transaction is the caller's: it is neither ended here nor is its connection closed before its end.
 */
export class CallersTransactions {
  readonly #path: string;
  readonly #connections = new Set<unknown>();

  constructor(path: string) {
    this.#path = path;
  }

  begin(): CallersTransaction {
    const connection = new Connection(this.#path);
    try {
      connection.run('BEGIN IMMEDIATE');
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#connections.add(connection);
    return {
      handle: connection,
      run: (statement) => connection.run(statement),
      commit: () => this.#end(connection, 'COMMIT'),
      rollback: () => this.#end(connection, 'ROLLBACK'),
    };
  }

  /** Runs `work` inside the caller's transaction: all of it is done there, or nothing. */
  within<T>(handle: unknown, work: (connection: Connection) => T): T {
    if (!this.#connections.has(handle)) throw new NotOpenHere();
    const connection = handle as Connection;
    if (!connection.isTransaction) throw new NotOpenHere();
    return connection.savepoint(() => work(connection));
  }

  /** Ends the transactions that are still open, as their connections' end does. */
  close(): void {
    for (const connection of this.#connections) (connection as Connection).close();
  }

  /** A commit that is refused leaves the transaction open: it may be tried again or rolled back. */
  #end(connection: Connection, statement: string): void {
    connection.run(statement);
    this.#connections.delete(connection);
    connection.close();
  }
}
