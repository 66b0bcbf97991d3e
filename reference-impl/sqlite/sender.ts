import {
  type CallersTransaction,
  type Declaration,
  type Entry,
  type Message,
  type Offer,
  type ReportedOutcome,
  type SendBatchPort,
  type SendOptions,
  type SqliteSite,
  UnsupportedOption,
} from '../../index.ts';
import { duplicates, type Holder, skipped } from '../dedupe-keys.ts';
import { type Answer, outcomesBySlot } from '../outcomes-by-slot.ts';
import { offers as carried, type Outgoing, outgoing } from '../outgoing.ts';
import { CallersTransactions } from './callers-transactions.ts';
import { Connection, survives } from './connection.ts';
import { classified } from './engine-errors.ts';
import { insertOne } from './insert-one.ts';
import { schema, storedMessages } from './schema.ts';

/** Inserts, inside an open transaction, all rows but those whose key is held, and answers for what it inserted. */
export type InsertBatch = (connection: Connection, rows: readonly Outgoing[], options: SendOptions) => Answer[];

/**
 * A variant of `send-batch` on SQLite: how it inserts, what it says of itself beyond what all variants say, and what it
 * offers beyond what they offer.
 *
 * All carry a key and, where a caller can have a connection of his own, a transaction of his. A caller's own id is not
 * offered: beside the row's id it would be a second id of the same row. No call can be cancelled: the engine runs in the
 * thread of its caller, where nothing else does until the batch has ended, and so no signal could abort meanwhile. A
 * call that brings one is refused.
 */
export function sendBatchBy(
  insertBatch: InsertBatch,
  own: Partial<Declaration>,
  ownOffers: Offer[] = [],
): Entry<'send-batch', SqliteSite> {
  const offers = (mode: string): Offer[] => [...carried, 'dedupeKey', ...heldIn(mode), ...ownOffers];
  return {
    declare: (facts) => ({
      offers: offers(facts.mode),
      onFailure: 'throws',
      keyPolicy: 'skip',
      keysEqual: ['destination'],
      extras: survives(facts),
      ...own,
    }),
    rows: storedMessages,
    open: (site) => new SqliteSender(site.path, insertBatch, offers(site.mode)),
  };
}

/** A private database has one connection; its transaction cannot be a caller's and that of other batches as well. */
function heldIn(mode: string): Offer[] {
  return mode === 'memory' ? [] : ['transaction'];
}

class SqliteSender implements SendBatchPort {
  readonly #connection: Connection;
  readonly #callers: CallersTransactions;
  readonly #insertBatch: InsertBatch;
  readonly #offers: Offer[];

  constructor(path: string, insertBatch: InsertBatch, offers: Offer[]) {
    this.#connection = new Connection(path);
    this.#connection.createTables(schema);
    this.#callers = new CallersTransactions(path);
    this.#insertBatch = insertBatch;
    this.#offers = offers;
  }

  sendBatch(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    if (messages.length === 0) return [];
    return this.#write(this.#insertBatch, messages, options);
  }

  send(message: Message, options: SendOptions): ReportedOutcome {
    return this.#write((connection, [row]) => insertOne(connection, row!, 0), [message], options)[0]!;
  }

  begin(): CallersTransaction {
    if (!this.#offers.includes('transaction')) throw new UnsupportedOption('transaction');
    return this.#callers.begin();
  }

  close(): void {
    this.#callers.close();
    this.#connection.close();
  }

  #write(insert: InsertBatch, messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    const rows = outgoing(messages, options, this.#offers);
    const insertAndAnswer = (connection: Connection) =>
      outcomesBySlot(withHolders(connection, rows, insert(connection, rows, options)), rows.length);
    try {
      if (options.transaction !== undefined) return this.#callers.within(options.transaction, insertAndAnswer);
      return this.#connection.transaction(() => insertAndAnswer(this.#connection));
    } catch (error) {
      throw classified(error);
    }
  }
}

/** Answers for the messages that were left out as well, by the rows that hold their keys. */
function withHolders(connection: Connection, rows: readonly Outgoing[], answers: Answer[]): Answer[] {
  const others = skipped(rows, answers);
  if (others.length === 0) return answers;
  const keys = JSON.stringify(others.map(({ key }) => key));
  return [...answers, ...duplicates(others, connection.rows<Holder>(selectHolders, keys))];
}

const selectHolders = 'SELECT id, dedupe_key, body FROM messages WHERE dedupe_key IN (SELECT value FROM json_each(?))';
