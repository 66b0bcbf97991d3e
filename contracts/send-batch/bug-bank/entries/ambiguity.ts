import type { BankEntry } from '../entry.ts';

/** Lost answers, and batches that are sent again. */
export const ambiguity: readonly BankEntry[] = [
  {
    id: 'AMB-01',
    report: 'pgjdbc/pgjdbc#1697',
    fault: 'an error is passed over, and the commit rolls back without an error',
    trigger: 'a failure within a transaction',
    covered: { by: 'every-outcome-reports-the-failure' },
  },
  {
    id: 'AMB-04',
    report: 'objectstack-ai/objectstack#3149',
    fault: 'a batch without keys is sent again when its reply is lost',
    trigger: 'a lost reply',
    covered: { by: 'lost-ack-is-all-or-nothing', on: 'postgres' },
  },
  {
    id: 'AMB-05',
    report: 'apache/kyuubi#7720',
    fault: 'a replay that meets its own rows is taken for a failure',
    trigger: 'a lost reply, and the same batch again',
    covered: { by: 'replay-is-recognised', like: 'RPT-46' },
  },
  {
    id: 'AMB-06',
    report: 'rsyslog/rsyslog#1829',
    fault: 'closing the connection commits half of a batch, which is then sent again whole',
    trigger: 'a failure that happens once',
    covered: { by: 'transient-fault-ends-whole' },
  },
  {
    id: 'AMB-07',
    report: 'embulk/embulk-output-jdbc#241',
    fault: 'the row that failed is dropped, and the rest is sent again',
    trigger: 'a failure that happens once',
    covered: { by: 'transient-fault-ends-whole' },
  },
  {
    id: 'AMB-09',
    report: 'doctrine/dbal#3175',
    fault: 'the commit answers that it was refused, and nobody looks',
    trigger: 'a refused commit',
    covered: { by: 'commit-failure-is-reported' },
  },
  {
    id: 'AMB-10',
    report: 'orientechnologies/orientdb#3730',
    fault: 'a batch is repeated as often as it may be, although it succeeded',
    trigger: 'any batch',
    covered: { by: 'identical-messages-get-their-own-ids' },
  },
  {
    id: 'AMB-11',
    report: 'dotnet/efcore#36470',
    fault: 'all messages are told as failed, though some were committed',
    trigger: 'a failure after the first message',
    covered: { by: 'each-outcome-is-true' },
  },
];
