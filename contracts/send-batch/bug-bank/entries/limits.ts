import type { BankEntry } from '../entry.ts';

/** A batch may be larger than a statement. */
export const limits: readonly BankEntry[] = [
  {
    id: 'LIM-02',
    report: 'jackc/pgx#1099',
    fault: 'a batch is one statement, whatever its size',
    trigger: 'one row more than a statement takes',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-03',
    report: 'dotnet/efcore#29539',
    fault: 'the row that tips the limit takes those before it along',
    trigger: 'one row more than a statement takes',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-04',
    report: 'dotnet/efcore#27840',
    fault: 'only rows that were flushed count against the limit',
    trigger: 'one row more than a statement takes',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-06',
    report: 'knex/knex#495',
    fault: 'the last row is never put into a chunk',
    trigger: 'one message',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-07',
    report: 'ankane/dbx#8',
    fault: 'the number of chunks is rounded down',
    trigger: 'a batch that is no multiple of a chunk',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-08',
    report: 'mongodb-labs/YCSB#1',
    fault: 'only full chunks are sent',
    trigger: 'a batch that is no multiple of a chunk',
    covered: { by: 'ids-in-caller-order' },
  },
  {
    id: 'LIM-11',
    report: 'typeorm/typeorm#3518',
    fault: 'the size of a chunk is taken for the number of chunks',
    trigger: 'a chunk size',
    covered: { by: 'chunk-size-option' },
  },
  {
    id: 'LIM-13',
    report: 'drizzle-team/drizzle-orm#269',
    fault: 'the values of all rows are the arguments of one call',
    trigger: 'more values than a call takes arguments',
    covered: { by: 'no-cliff-at-large-sizes' },
  },
  {
    id: 'LIM-14',
    report: 'yesodweb/persistent#285',
    fault: 'an empty batch becomes a statement without rows',
    trigger: 'an empty batch',
    covered: { by: 'empty-batch' },
  },
  {
    id: 'LIM-15',
    report: 'porsager/postgres#525',
    fault: 'the last row ends the call, and there is none',
    trigger: 'an empty batch',
    covered: { by: 'empty-batch', within: 1500 },
  },
];
