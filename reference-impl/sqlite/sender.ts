import {
  type Declaration,
  type EngineFacts,
  type Entry,
  type Message,
  type ReportedOutcome,
  type SendBatchPort,
  type SendOptions,
  type SqliteSite,
  stored,
} from '../../index.ts';
import { type Outgoing, offers, outgoing } from '../outgoing.ts';
import { Connection } from './connection.ts';
import { insertOne } from './insert-one.ts';
import { storedMessages } from './schema.ts';

/** Inserts all rows inside an open transaction and returns their ids in the order of the rows. */
export type InsertBatch = (connection: Connection, rows: readonly Outgoing[]) => bigint[];

/**
 * A variant of `send-batch` on SQLite: how it inserts, and what it says of itself beyond what all variants say.
 *
 * No call can be cancelled: the engine runs in the thread of its caller, where nothing else does until the batch has
 * ended, and so no signal could abort meanwhile. A call that brings one is refused.
 */
export function sendBatchBy(insertBatch: InsertBatch, own: Partial<Declaration>): Entry<'send-batch', SqliteSite> {
  return {
    declare: (facts) => ({ offers, onFailure: 'throws', extras: survives(facts), ...own }),
    rows: storedMessages,
    open: (site) => new SqliteSender(new Connection(site.path), insertBatch),
  };
}

/** A file outlives its process, and what it holds is committed as `Connection` says; a database in memory does not. */
function survives(facts: EngineFacts): Declaration['extras'] {
  return facts.mode === 'file' ? ['durable', 'persistent'] : [];
}

class SqliteSender implements SendBatchPort {
  readonly #connection: Connection;
  readonly #insertBatch: InsertBatch;

  constructor(connection: Connection, insertBatch: InsertBatch) {
    this.#connection = connection;
    this.#insertBatch = insertBatch;
  }

  sendBatch(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    if (messages.length === 0) return [];
    const rows = outgoing(messages, options);
    return this.#connection.transaction(() => this.#insertBatch(this.#connection, rows)).map(stored);
  }

  send(message: Message, options: SendOptions): ReportedOutcome {
    const row = outgoing([message], options)[0]!;
    return stored(this.#connection.transaction(() => insertOne(this.#connection, row, 0)));
  }

  close(): void {
    this.#connection.close();
  }
}
