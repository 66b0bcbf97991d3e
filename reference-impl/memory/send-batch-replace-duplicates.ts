import type { Entry, MemorySite, Message, Offer, ReportedOutcome, SendOptions } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { offers as metadata } from '../outgoing.ts';
import { Buffer } from './buffer.ts';
import { KeyedSender, type SenderRules } from './keyed-sender.ts';
import type { Reading } from './new-message.ts';
import { storedMessages, tables } from './tables.ts';

const ofMessages: Offer[] = [...metadata, 'dedupeKey'];
const offers: Offer[] = [...ofMessages, 'chunkSize'];

const rules: SenderRules = {
  offers,
  destinations: 'any',
  maxItems: 1000,
  keys: { policy: 'replace', equal: ['case', 'trailingSpace', 'normalForm'] },
  chunk: Number.POSITIVE_INFINITY,
  badChunkSize: 'default',
  statuses: false,
};

/** The last message with a key wins: the row that has the key takes its content. Keys are compared as names often are. */
export const replaceDuplicates: Entry<'send-batch', MemorySite> = {
  declare: {
    offers,
    extras: ['sync', 'buffered'],
    limits: { maxItems: rules.maxItems },
    keyPolicy: rules.keys.policy,
    keysEqual: rules.keys.equal,
    badChunkSize: rules.badChunkSize,
    onFailure: 'throws',
  },
  rows: storedMessages,
  statuses: tables.statuses,
  open: (site) => new ReplacingSender(openStore(site.name), rules),
};

class ReplacingSender extends KeyedSender {
  readonly #buffer = new Buffer((batch: readonly Reading[]) => this.write(batch, {}));

  sendBatchSync(messages: readonly Message[], options: SendOptions): ReportedOutcome[] {
    return this.writeAtOnce(this.readAll(messages, options), options);
  }

  /** How many rows a statement of the flush carries is not for who accepts. */
  accept(messages: readonly Message[], options: SendOptions): void {
    this.#buffer.accept(this.readAll(messages, options, ofMessages));
  }

  flush(): Promise<ReportedOutcome[]> {
    return this.#buffer.flush();
  }
}
