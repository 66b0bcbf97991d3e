import type { Declaration, Message, Offer, ReportedOutcome, SendBatchPort, SendOptions } from '../../index.ts';
import { type Store, StoreError, Transaction } from '../../memory.ts';
import { undo } from './atomically.ts';
import type { KeyRule } from './keys.ts';
import { type Reading, type ReadingRules, readMessages } from './new-message.ts';
import { tables } from './tables.ts';
import { locksOf, writeBatch } from './write-batch.ts';

/** What tells the variants with keys apart. */
export interface SenderRules extends ReadingRules {
  keys: KeyRule;
  /** Rows that one statement carries when the caller does not say. */
  chunk: number;
  badChunkSize: Declaration['badChunkSize'];
  /** Whether each message gets a row in the table of statuses. */
  statuses: boolean;
}

/**
 * Sends messages with keys: of several that have the same key only one is stored.
 *
 * Who has a key is looked up in the transaction that inserts, and under a lock on the key. Whoever comes second waits
 * until the first has committed or rolled back, and then looks.
 */
export class KeyedSender implements SendBatchPort {
  protected readonly store: Store;
  readonly #rules: SenderRules;

  constructor(store: Store, rules: SenderRules) {
    this.store = store;
    this.#rules = rules;
    for (const table of Object.values(tables)) store.createTable(table);
  }

  async sendBatch(messages: readonly Message[], options: SendOptions): Promise<ReportedOutcome[]> {
    return this.write(this.readAll(messages, options), options);
  }

  async send(message: Message, options: SendOptions): Promise<ReportedOutcome> {
    return (await this.sendBatch([message], options))[0]!;
  }

  /** Reads and checks a batch; nothing is written yet. */
  protected readAll(
    messages: readonly Message[],
    options: SendOptions,
    offers: readonly Offer[] = this.#rules.offers,
  ): Reading[] {
    return readMessages(messages, this.#usable(options), { ...this.#rules, offers }, this.context());
  }

  /** The ambient context of the call. */
  protected context(): string | null {
    return null;
  }

  /** Writes a batch as soon as nobody else holds its keys and ids. */
  protected async write(batch: readonly Reading[], options: SendOptions): Promise<ReportedOutcome[]> {
    if (batch.length === 0) return [];
    const chunk = this.#chunkOf(options);
    options.signal?.throwIfAborted();
    const transaction = this.#transactionOf(options);
    try {
      for (const name of locksOf(batch, this.#rules.keys)) await transaction.lock(name, options.signal);
      options.signal?.throwIfAborted();
      return this.#finish(transaction, batch, chunk, options);
    } catch (error) {
      if (!options.transaction) undo(transaction, error);
      throw error;
    }
  }

  /** Writes a batch at once, or throws when somebody else holds one of its keys or ids. */
  protected writeAtOnce(batch: readonly Reading[], options: SendOptions): ReportedOutcome[] {
    if (batch.length === 0) return [];
    const chunk = this.#chunkOf(options);
    options.signal?.throwIfAborted();
    const transaction = this.#transactionOf(options);
    try {
      for (const name of locksOf(batch, this.#rules.keys)) {
        if (!transaction.tryLock(name)) throw new StoreError(`another transaction holds ${name}`, { retryable: true });
      }
      return this.#finish(transaction, batch, chunk, options);
    } catch (error) {
      if (!options.transaction) undo(transaction, error);
      throw error;
    }
  }

  /** The caller's transaction is his to commit; when the batch fails in it, the batch alone is undone. */
  #finish(transaction: Transaction, batch: readonly Reading[], chunk: number, options: SendOptions) {
    const outcomes = transaction.part(() => writeBatch(transaction, batch, { ...this.#rules, chunk }));
    if (!options.transaction) transaction.commit();
    return outcomes;
  }

  /** The caller's transaction, or a new one. */
  #transactionOf({ transaction }: SendOptions): Transaction {
    if (transaction === undefined) return this.store.begin();
    if (!(transaction instanceof Transaction)) throw new TypeError('the transaction is none of this store');
    if (!transaction.belongsTo(this.store)) throw new TypeError('the transaction is one of another store');
    if (!transaction.isOpen) throw new TypeError('the transaction has ended');
    return transaction;
  }

  #chunkOf(options: SendOptions): number {
    return this.#usable(options).chunkSize ?? this.#rules.chunk;
  }

  /** The options without a chunk size that means the default. */
  #usable(options: SendOptions): SendOptions {
    const { chunkSize, ...others } = options;
    if (this.#rules.badChunkSize === 'refused' || chunkSize === undefined) return options;
    return Number.isSafeInteger(chunkSize) && chunkSize > 0 ? options : others;
  }
}
