import type { Entry, MemorySite, Offer } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { offers as metadata } from '../outgoing.ts';
import { KeyedSender, type SenderRules } from './keyed-sender.ts';
import { storedMessages, tables } from './tables.ts';

const offers: Offer[] = [...metadata, 'dedupeKey', 'chunkSize'];

const rules: SenderRules = {
  offers,
  destinations: 'any',
  maxItems: 1000,
  keys: { policy: 'replace', equal: ['case', 'trailingSpace'] },
  chunk: Number.POSITIVE_INFINITY,
  badChunkSize: 'default',
  statuses: false,
};

/** The last message with a key wins: the row that has the key takes its content. Keys are compared as names often are. */
export const replaceDuplicates: Entry<'send-batch', MemorySite> = {
  declare: {
    offers,
    limits: { maxItems: rules.maxItems },
    keyPolicy: rules.keys.policy,
    keysEqual: rules.keys.equal,
    badChunkSize: rules.badChunkSize,
    onFailure: 'throws',
  },
  rows: storedMessages,
  statuses: tables.statuses,
  open: (site) => new KeyedSender(openStore(site.name), rules),
};
