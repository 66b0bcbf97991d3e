import {
  type Entry,
  failed,
  type MemorySite,
  type Message,
  type ReportedOutcome,
  type SendBatchPort,
  type SendOptions,
  stored,
} from '../../index.ts';
import { openStore, type Store } from '../../memory.ts';
import { offers, outgoing } from '../outgoing.ts';
import { atomically } from './atomically.ts';

const table = 'messages';
const statuses = 'statuses';

/** A batch is one insert into each of two tables, in one transaction; a failure is told in every outcome. */
export const plain: Entry<'send-batch', MemorySite> = {
  declare: { offers, onFailure: 'outcomes', extras: ['statusTable'] },
  rows: table,
  statuses,
  open(site) {
    const store = openStore(site.name);
    store.createTable(table);
    store.createTable(statuses);
    return new PlainSender(store);
  },
};

class PlainSender implements SendBatchPort {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  sendBatch(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    if (messages.length === 0) return [];
    try {
      return this.#insert(messages, options).map(stored);
    } catch (error) {
      return messages.map(() => failed(error));
    }
  }

  send(message: Message, options: SendOptions): ReportedOutcome {
    return this.sendBatch([message], options)[0]!;
  }

  #insert(messages: readonly Message[], options: SendOptions): number[] {
    const rows = outgoing(messages, options).map((row) => ({ ...row, attempts: 0 }));
    return atomically(this.#store, (transaction) => {
      const ids = transaction.insertMany(table, rows);
      const waiting = ids.map((messageId) => ({ messageId, status: 'waiting' }));
      transaction.insertMany(statuses, waiting);
      return ids;
    });
  }
}
