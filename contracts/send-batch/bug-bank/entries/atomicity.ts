import type { BankEntry } from '../entry.ts';

/** A batch is stored whole or not at all. */
export const atomicity: readonly BankEntry[] = [
  {
    id: 'ATM-01',
    report: 'cloudflare/miniflare#484',
    fault: 'every statement of a batch commits itself',
    trigger: 'a failure after the first message',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'ATM-03',
    report: 'drizzle-team/drizzle-orm#2275',
    fault: 'the transaction does not wait for the work that it is given',
    trigger: 'work that is asynchronous',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'ATM-06',
    report: 'kysely-org/kysely#1604',
    fault: 'all inserts run at once; the first failure rolls back, and those that come later commit themselves',
    trigger: 'one failure beside slower inserts',
    covered: { by: 'nothing-arrives-late', host: 'worker' },
  },
  {
    id: 'ATM-09',
    report: 'liberation-data/drivine#122',
    fault: 'of several parts that run at once the last to end decides alone whether all is committed',
    trigger: 'a failure in a part that is not the last',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'ATM-11',
    report: 'redis/ioredis#706',
    fault: 'the other commands of a transaction are carried out although one fails',
    trigger: 'a failure in one slot',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'ATM-12',
    report: 'taskforcesh/bullmq#3451',
    fault: 'messages are added independently of each other, though all or nothing is promised',
    trigger: 'one message that is too large',
    covered: { by: 'past-the-limits' },
  },
  {
    id: 'ATM-13',
    report: 'dotnet/efcore#20176',
    fault: "half of a failed batch stays in the caller's transaction",
    trigger: 'a caller who goes on after the failure, and commits',
    covered: { by: 'held-failure-leaves-no-half' },
  },
  {
    id: 'ATM-17',
    report: 'InsForge/InsForge#1459',
    fault: 'rows are grouped by their columns, and each group commits itself',
    trigger: 'rows of different columns, the last of which fails',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'ATM-18',
    report: 'cznic/ql#134',
    fault: 'a row whose key is refused is stored all the same',
    trigger: 'a duplicate, to be refused',
    covered: { by: 'duplicates-are-named' },
  },
  {
    id: 'ATM-20',
    report: 'rust-postgres/rust-postgres#374',
    fault: 'savepoints share one name and are not released, so that the wrong one is rolled back to',
    trigger: "two failed batches in one transaction of the caller's",
    covered: { by: 'held-failure-leaves-no-half' },
  },
  {
    id: 'ATM-21',
    report: 'timescale/timescaledb#7672',
    fault: 'after the first duplicate the rest of the statement is left out',
    trigger: 'a duplicate in the first slot',
    covered: { by: 'duplicates-are-named' },
  },
];
