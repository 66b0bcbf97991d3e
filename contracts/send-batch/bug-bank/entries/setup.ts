import type { BankEntry } from '../entry.ts';

/** Checks that could not have failed. */
export const setup: readonly BankEntry[] = [
  {
    id: 'SET-02',
    report: 'mongodb/node-mongodb-native#3867',
    fault: 'the check of a failure is skipped when nothing fails',
    trigger: 'a backend that accepts what it must refuse',
    covered: { check: 'is vacuous' },
  },
  {
    id: 'SET-04',
    report: 'ThatRendle/Simple.Data#335',
    fault: 'a model in memory commits where it should roll back',
    trigger: 'a failure after the first statement',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'SET-07',
    report: 'wala/WALA#1731',
    fault: 'a loop over nothing holds the only assertion',
    trigger: 'a selection that is empty',
    covered: { check: 'is vacuous' },
  },
  {
    id: 'SET-08',
    report: 'mongomock/mongomock#533',
    fault: 'a fake gives ids to duplicates that the engine skips',
    trigger: 'one duplicate',
    covered: { by: 'duplicates-are-named' },
  },
  {
    id: 'SET-09',
    report: 'alkem-io/server#6358',
    fault: 'a fake of a transaction calls its callback, and undoes nothing',
    trigger: 'a failure after the first statement',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'SET-10',
    report: 'blehnen/DotNetWorkQueue#251',
    fault: "a status row is written outside the caller's transaction",
    trigger: 'a caller who rolls back',
    covered: { by: 'held-rollback-removes-all' },
  },
  {
    id: 'SET-12',
    report: 'base/base-std#100',
    fault: 'everything is undone after each test, so that what is left behind is never seen',
    trigger: 'a failure after the first statement',
    covered: { by: 'nothing-persists-after-failure' },
  },
];
