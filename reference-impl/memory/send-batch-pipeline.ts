import {
  type Entry,
  failed,
  type MemorySite,
  type Message,
  type Offer,
  type ReportedOutcome,
  refuseOthers,
  type SendBatchPort,
  type SendOptions,
  stored,
} from '../../index.ts';
import { openStore, type Store } from '../../memory.ts';
import { MessageRefused, offers, outgoing } from '../outgoing.ts';
import { atomically } from './atomically.ts';

const table = 'messages';
const destinations = ['orders', 'invoices', 'letters'];
const blankIsAbsent = ['priority', 'route', 'headers'] as const satisfies Offer[];

/**
 * Every message is stored by a transaction of its own, one after the other: one that fails takes no other with it, and
 * each outcome tells what became of its own message. Only what no message could be sent with is refused for all.
 */
export const pipeline: Entry<'send-batch', MemorySite> = {
  declare: {
    offers,
    onFailure: 'outcomes',
    chunk: { rows: 1 },
    destinations,
    blankIsAbsent: [...blankIsAbsent],
    givesUp: {
      atomic: 'each message is committed on its own, so that one that fails does not hold up the others',
      isolated: 'a reader sees the messages that are committed so far',
      batched: 'each message is a statement of its own',
    },
  },
  rows: table,
  open(site) {
    const store = openStore(site.name);
    store.createTable(table);
    return new PipelineSender(store);
  },
};

class PipelineSender implements SendBatchPort {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  sendBatch(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    try {
      refuseOthers(offers, messages, options);
    } catch (error) {
      return messages.map(() => failed(error));
    }
    return messages.map((message, position) => this.#sendOne(message, position));
  }

  send(message: Message, options: SendOptions): ReportedOutcome {
    return this.sendBatch([message], options)[0]!;
  }

  #sendOne(message: Message, position: number): ReportedOutcome {
    try {
      const [row] = outgoing([withoutBlanks(message)], {});
      checkDestination(row!.destination);
      const id = atomically(this.#store, (transaction) => transaction.insert(table, { ...row, attempts: 0 }));
      return stored(id);
    } catch (error) {
      return failed(error instanceof MessageRefused ? new MessageRefused(position, error.cause) : error);
    }
  }
}

function checkDestination(destination: string | null): void {
  if (destination === null || destinations.includes(destination)) return;
  throw new TypeError(`there is no destination ${JSON.stringify(destination)}`);
}

/** The message without the options whose value is `0`, `''` or `{}`, where that means that there is none. */
function withoutBlanks(message: Message): Message {
  const others = { ...message };
  for (const option of blankIsAbsent) if (isBlank(message[option])) delete others[option];
  return others;
}

function isBlank(value: unknown): boolean {
  if (value === 0 || value === '') return true;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
