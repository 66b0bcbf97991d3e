import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  CallersTransaction,
  Entry,
  MemorySite,
  Message,
  Offer,
  ReceivedMessage,
  ReportedOutcome,
  SendOptions,
  StoredMessage,
} from '../../index.ts';
import { openStore } from '../../memory.ts';
import { offers as metadata } from '../outgoing.ts';
import { Buffer } from './buffer.ts';
import { KeyedSender, type SenderRules } from './keyed-sender.ts';
import type { Reading } from './new-message.ts';
import { receive } from './receive.ts';
import { storedMessages, tables } from './tables.ts';

const ofMessages: Offer[] = [...metadata, 'dedupeKey', 'callerIds', 'columns', 'jobs'];
const offers: Offer[] = [...ofMessages, 'transaction', 'cancel', 'chunkSize'];
const destinations = ['orders', 'invoices', 'letters'];

const rules: SenderRules = {
  offers,
  destinations,
  maxItems: Number.POSITIVE_INFINITY,
  keys: { policy: 'skip', equal: [] },
  chunk: 100,
  badChunkSize: 'refused',
  statuses: true,
};

/** All that a batch of messages can ask for, in one backend: each part is a few lines, and none is in another's way. */
export const everything: Entry<'send-batch', MemorySite> = {
  declare: {
    offers,
    destinations,
    extras: ['statusTable', 'fifo', 'sync', 'buffered', 'ambient', 'read'],
    chunk: { rows: rules.chunk },
    onFailure: 'throws',
    keyPolicy: rules.keys.policy,
    keysEqual: rules.keys.equal,
    badChunkSize: rules.badChunkSize,
  },
  rows: storedMessages,
  statuses: tables.statuses,
  open: (site) => new EverythingSender(openStore(site.name), rules),
};

class EverythingSender extends KeyedSender {
  readonly #buffer = new Buffer((batch: readonly Reading[]) => this.write(batch, {}));
  readonly #context = new AsyncLocalStorage<string>();

  /** The same batch for a caller who cannot wait: a key that another transaction holds is an error. */
  sendBatchSync(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    return this.writeAtOnce(this.readAll(messages, options), options);
  }

  begin(): CallersTransaction {
    const transaction = this.store.begin();
    return {
      handle: transaction,
      run: (statement) => transaction.run(statement),
      commit: () => transaction.commit(),
      rollback: () => transaction.rollback(),
    };
  }

  receive(count: number): ReceivedMessage[] {
    return receive(this.store, count);
  }

  /** Messages are read, checked and dated when they are accepted. */
  accept(messages: readonly Message[], options: SendOptions): void {
    this.#buffer.accept(this.readAll(messages, options, ofMessages));
  }

  flush(): Promise<ReportedOutcome[]> {
    return this.#buffer.flush();
  }

  read(): StoredMessage[] {
    const rows = this.store.rows(tables.messages);
    return rows.map(({ messageId, ...row }) => ({ ...row, id: messageId }) as unknown as StoredMessage);
  }

  inContext<T>(context: string, call: () => T): T {
    return this.#context.run(context, call);
  }

  protected override context(): string | null {
    return this.#context.getStore() ?? null;
  }
}
