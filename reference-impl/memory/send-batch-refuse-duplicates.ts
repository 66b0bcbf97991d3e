import {
  type Entry,
  failed,
  type MemorySite,
  type Message,
  type Offer,
  type ReportedOutcome,
  type SendOptions,
} from '../../index.ts';
import { openStore } from '../../memory.ts';
import { offers as metadata } from '../outgoing.ts';
import { KeyedSender, type SenderRules } from './keyed-sender.ts';
import { storedMessages } from './tables.ts';

const offers: Offer[] = [...metadata, 'dedupeKey'];

const rules: SenderRules = {
  offers,
  destinations: 'any',
  maxItems: 1000,
  keys: { policy: 'refuse', equal: ['destination'] },
  chunk: Number.POSITIVE_INFINITY,
  badChunkSize: 'refused',
  statuses: false,
};

/** A batch in which a key is taken fails whole, as by a unique index; a key is taken for all destinations. */
export const refuseDuplicates: Entry<'send-batch', MemorySite> = {
  declare: {
    offers,
    limits: { maxItems: rules.maxItems },
    keyPolicy: rules.keys.policy,
    keysEqual: rules.keys.equal,
    onFailure: 'outcomes',
  },
  rows: storedMessages,
  open: (site) => new RefusingSender(openStore(site.name), rules),
};

class RefusingSender extends KeyedSender {
  override async sendBatch(messages: readonly Message[], options: SendOptions): Promise<ReportedOutcome[]> {
    try {
      return await super.sendBatch(messages, options);
    } catch (error) {
      return messages.map(() => failed(error));
    }
  }
}
