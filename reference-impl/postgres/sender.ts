import type { ClientBase } from 'pg';
import {
  type CallersTransaction,
  type Declaration,
  type Entry,
  type Extra,
  failed,
  type Message,
  type Offer,
  type PostgresSite,
  type ReportedOutcome,
  type SendBatchPort,
  type SendOptions,
  unknown,
} from '../../index.ts';
import { duplicates, type Holder, hasKey, skipped } from '../dedupe-keys.ts';
import { type Answer, outcomesBySlot } from '../outcomes-by-slot.ts';
import { offers as carried, type Undated, undated } from '../outgoing.ts';
import { AnswerLost } from './answer-lost.ts';
import { CallersTransactions } from './callers-transactions.ts';
import { Database } from './database.ts';
import { insertOne } from './insert-one.ts';
import { schema, storedMessages } from './schema.ts';
import { classified } from './server-errors.ts';

/** How a variant inserts. */
export interface Algorithm {
  /**
   * Inserts all rows but those whose key is held, taking the keys in their order. Answers for what it inserted and, if
   * it knows who holds the keys, for the others.
   */
  insert(client: ClientBase, rows: readonly Undated[], options: SendOptions): Promise<Answer[]>;
  /** Whether that is one statement after which no other is needed, so that it can commit itself. */
  commitsItself?(rows: readonly Undated[]): boolean;
  /** The single path goes by the same statement. */
  insertsSingles?: true;
}

/** What a variant has beyond what all of them have. */
interface Beyond {
  offers?: Offer[];
  extras?: Extra[];
  statuses?: string;
  schema?: string;
}

/** The single path of most variants. */
const single: Algorithm = {
  insert: (client, [row]) => insertOne(client, row!, 0),
  commitsItself: (rows) => !rows.some(hasKey),
};

/**
 * A variant of `send-batch` on PostgreSQL: how it inserts, what it says of itself, and what it has beyond the others.
 *
 * All carry a key, a transaction of the caller's, and a signal that cancels the call. A caller's own id is not offered:
 * beside the identities it would be a second id of the same row.
 */
export function sendBatchBy(
  algorithm: Algorithm,
  own: Partial<Declaration>,
  beyond: Beyond = {},
): Entry<'send-batch', PostgresSite> {
  const offers: Offer[] = [...carried, 'dedupeKey', 'transaction', 'cancel', ...(beyond.offers ?? [])];
  return {
    declare: {
      offers,
      clock: 'database',
      keyPolicy: 'skip',
      keysEqual: ['destination'],
      extras: ['durable', 'persistent', ...(beyond.extras ?? [])],
      ...own,
    },
    rows: storedMessages,
    ...(beyond.statuses && { statuses: beyond.statuses }),
    async open(site) {
      const database = await Database.open(site.url, schema + (beyond.schema ?? ''));
      const sender = new PostgresSender(database, new CallersTransactions(site.url), algorithm, offers);
      return own.onFailure === 'outcomes' ? reportingFailures(sender) : sender;
    },
  };
}

class PostgresSender implements SendBatchPort {
  readonly #database: Database;
  readonly #callers: CallersTransactions;
  readonly #algorithm: Algorithm;
  readonly #offers: Offer[];

  constructor(database: Database, callers: CallersTransactions, algorithm: Algorithm, offers: Offer[]) {
    this.#database = database;
    this.#callers = callers;
    this.#algorithm = algorithm;
    this.#offers = offers;
  }

  async sendBatch(messages: readonly Message[], options: SendOptions): Promise<ReportedOutcome[]> {
    if (messages.length === 0) return [];
    return this.#write(this.#algorithm, messages, options);
  }

  async send(message: Message, options: SendOptions): Promise<ReportedOutcome> {
    const [outcome] = await this.#write(this.#algorithm.insertsSingles ? this.#algorithm : single, [message], options);
    return outcome!;
  }

  begin(): Promise<CallersTransaction> {
    return this.#callers.begin();
  }

  async close(): Promise<void> {
    await this.#callers.close();
    await this.#database.close();
  }

  async #write(algorithm: Algorithm, messages: readonly Message[], options: SendOptions): Promise<ReportedOutcome[]> {
    // All of the batch is read before the first await: what the caller does to it later changes nothing.
    const rows = undated(messages, options, this.#offers);
    try {
      return await this.#insert(algorithm, rows, options);
    } catch (error) {
      throw classified(error);
    }
  }

  async #insert(algorithm: Algorithm, rows: readonly Undated[], options: SendOptions): Promise<ReportedOutcome[]> {
    const insert = (client: ClientBase) => algorithm.insert(client, rows, options);
    const insertAndAnswer = async (client: ClientBase) =>
      outcomesBySlot(await withHolders(client, rows, await insert(client)), rows.length);
    if (options.transaction !== undefined) {
      if (options.signal) throw new TypeError('what cancels a call would end the transaction, which is the caller’s');
      return this.#callers.within(options.transaction, insertAndAnswer);
    }
    const database = this.#database.within(options.signal);
    if (!algorithm.commitsItself?.(rows)) return database.transaction(insertAndAnswer);
    return outcomesBySlot(await database.statement(insert), rows.length);
  }
}

/** Answers for the messages that were left out as well, by the rows that hold their keys. */
async function withHolders(client: ClientBase, rows: readonly Undated[], answers: Answer[]): Promise<Answer[]> {
  const others = skipped(rows, answers);
  if (others.length === 0) return answers;
  // A statement of its own sees what was committed while the insert waited for it.
  const holders = await client.query<Holder>({
    name: 'holders',
    text: 'SELECT id, dedupe_key, body::text AS body FROM messages WHERE dedupe_key = ANY ($1)',
    values: [others.map(({ key }) => key)],
  });
  return [...answers, ...duplicates(others, holders.rows)];
}

/** The same sender, which tells a failure in every outcome instead of throwing it, but for a caller's transaction. */
function reportingFailures(sender: PostgresSender): SendBatchPort {
  const outcome = (options: SendOptions) => (error: unknown) => {
    if (options.transaction !== undefined) throw error;
    return error instanceof AnswerLost ? unknown(error) : failed(error);
  };
  return {
    sendBatch: (messages, options) =>
      sender.sendBatch(messages, options).catch((error: unknown) => messages.map(() => outcome(options)(error))),
    send: (message, options) => sender.send(message, options).catch(outcome(options)),
    begin: () => sender.begin(),
    close: () => sender.close(),
  };
}
