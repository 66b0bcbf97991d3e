import {
  type Declaration,
  type Entry,
  failed,
  type Message,
  type Offer,
  type PostgresSite,
  type ReportedOutcome,
  type SendBatchPort,
  type SendOptions,
  stored,
  unknown,
} from '../../index.ts';
import { offers as carried, type Undated, undated } from '../outgoing.ts';
import { AnswerLost } from './answer-lost.ts';
import { Database } from './database.ts';
import { insertOne } from './insert-one.ts';
import { schema, storedMessages } from './schema.ts';

/** What these variants carry: what all references do, and a signal that cancels the call. */
const offers: Offer[] = [...carried, 'cancel'];

/** Inserts all rows, all or none of them, and returns their ids in the order of the rows. */
export type InsertBatch = (database: Database, rows: readonly Undated[]) => Promise<string[]>;

/**
 * A variant of `send-batch` on PostgreSQL: how it inserts, what it says of itself beyond what all variants say, and what
 * it needs in the schema beside the tables.
 */
export function sendBatchBy(
  insertBatch: InsertBatch,
  own: Partial<Declaration>,
  ownSchema = '',
): Entry<'send-batch', PostgresSite> {
  return {
    declare: { offers, clock: 'database', extras: ['durable', 'persistent'], ...own },
    rows: storedMessages,
    async open(site) {
      const database = await Database.open(site.url, schema + ownSchema);
      const sender = new PostgresSender(database, insertBatch);
      return own.onFailure === 'outcomes' ? reportingFailures(sender) : sender;
    },
  };
}

class PostgresSender implements SendBatchPort {
  readonly #database: Database;
  readonly #insertBatch: InsertBatch;

  constructor(database: Database, insertBatch: InsertBatch) {
    this.#database = database;
    this.#insertBatch = insertBatch;
  }

  async sendBatch(messages: readonly Message[], options: SendOptions): Promise<ReportedOutcome[]> {
    if (messages.length === 0) return [];
    // All of the batch is read before the first await: what the caller does to it later changes nothing.
    const rows = undated(messages, options, offers);
    const ids = await this.#insertBatch(this.#database.within(options.signal), rows);
    return ids.map(stored);
  }

  async send(message: Message, options: SendOptions): Promise<ReportedOutcome> {
    const [row] = undated([message], options, offers);
    const [inserted] = await this.#database.within(options.signal).statement(insertOne(row!, 0));
    return stored(inserted!.id as string);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** The same sender, which tells a failure in every outcome instead of throwing it. */
function reportingFailures(sender: PostgresSender): SendBatchPort {
  const outcome = (error: unknown) => (error instanceof AnswerLost ? unknown(error) : failed(error));
  return {
    sendBatch: (messages, options) =>
      sender.sendBatch(messages, options).catch((error: unknown) => messages.map(() => outcome(error))),
    send: (message, options) => sender.send(message, options).catch(outcome),
    close: () => sender.close(),
  };
}
