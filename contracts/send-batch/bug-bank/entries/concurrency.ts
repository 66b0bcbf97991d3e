import type { BankEntry } from '../entry.ts';

/** Batches beside each other, and buffers. */
export const concurrency: readonly BankEntry[] = [
  {
    id: 'CON-01',
    report: 'erikdarlingdata/PerformanceMonitor#1801',
    fault: "rows are locked in the caller's order",
    trigger: 'two batches over the same keys in opposite orders',
    covered: { by: 'opposite-orders-do-not-deadlock', on: 'postgres', host: 'worker' },
  },
  {
    id: 'CON-04',
    report: 'oban-bg/oban#1087',
    fault: 'who finds a key locked is told that it is a duplicate',
    trigger: 'a holder of the key that rolls back',
    covered: { by: 'loser-waits-for-the-holder', on: 'postgres', host: 'worker' },
  },
  {
    id: 'CON-05',
    report: 'googleapis/java-firestore#1772',
    fault: 'a flush does not see what overflowed',
    trigger: 'more messages than the buffer holds',
    covered: { by: 'flush-covers-everything-accepted' },
  },
  {
    id: 'CON-07',
    report: 'ddeboer/data-import#262',
    fault: 'the buffer is not emptied by a flush',
    trigger: 'two flushes',
    covered: { by: 'flush-writes-once' },
  },
  {
    id: 'CON-08',
    report: 'HKUDS/LightRAG#3043',
    fault: 'the buffer is replaced once its write has ended',
    trigger: 'a message that is sent during a flush',
    covered: { by: 'sent-during-flush-is-kept', host: 'worker' },
  },
  {
    id: 'CON-10',
    report: 'haileyok/victrola#18',
    fault: 'two batches share the transaction of one connection',
    trigger: 'two batches at once, one of which fails',
    covered: { by: 'concurrent-failure-is-isolated', on: 'postgres', host: 'worker' },
  },
  {
    id: 'CON-11',
    report: 'graphile/worker#303',
    fault: 'where the row of a key is locked it loses its key, and another is inserted',
    trigger: 'a message with the key of one that is locked',
    covered: { by: 'racing-keys-store-once', on: 'postgres', host: 'worker' },
  },
];
