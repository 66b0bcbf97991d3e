import type { BankEntry } from '../entry.ts';

/** Aborted calls, and connections that are lost or used again. */
export const cancellation: readonly BankEntry[] = [
  {
    id: 'CAN-02',
    report: 'prisma/prisma#9533',
    fault: 'a transaction that ran out of time was rolled back, and its commit counts as a success',
    trigger: 'a time-out within a batch',
    covered: { by: 'server-abort-is-reported', on: 'postgres' },
  },
  {
    id: 'CAN-05',
    report: 'bytebase/dbhub#401',
    fault: 'the signal is listened to, and nothing comes of it',
    trigger: 'an aborted call',
    covered: { by: 'aborted-before-start-writes-nothing' },
  },
  {
    id: 'CAN-06',
    report: 'zzzprojects/EntityFramework-Extensions#636',
    fault: 'the signal is looked at before the first chunk only',
    trigger: 'a call that is aborted later',
    covered: { by: 'abort-takes-effect', on: 'postgres' },
  },
  {
    id: 'CAN-07',
    report: 'long2ice/asyncmy#103',
    fault: 'the reply to an aborted call is left to be read by the next',
    trigger: 'an aborted call, and another batch',
    covered: { by: 'usable-after-abort', on: 'postgres' },
  },
  {
    id: 'CAN-08',
    report: 'brianc/node-postgres#1454',
    fault: 'a rollback over a lost connection never ends',
    trigger: 'a connection that is lost within a batch',
    covered: { by: 'lost-ack-is-all-or-nothing', on: 'postgres', within: 6000 },
  },
  {
    id: 'CAN-09',
    report: 'porsager/postgres#658',
    fault: 'what waits for a reply is forgotten when its connection is lost',
    trigger: 'a connection that is lost within a batch',
    covered: { by: 'lost-ack-is-all-or-nothing', on: 'postgres', within: 6000 },
  },
  {
    id: 'CAN-10',
    report: 'mariadb-corporation/mariadb-connector-nodejs#259',
    fault: 'after a failed batch the connection waits for ever',
    trigger: 'a failed batch, and a good one',
    covered: { by: 'backend-usable-after-failure', within: 3000 },
  },
  {
    id: 'CAN-12',
    report: 'ScriptedAlchemy/tracedecay#23',
    fault: 'a failed batch leaves its transaction open',
    trigger: 'a failed batch, and a good one',
    covered: { by: 'backend-usable-after-failure' },
  },
  {
    id: 'CAN-13',
    report: 'elixir-ecto/db_connection#349',
    fault: 'a connection is reset only after the next caller has it, and forgets that its transaction has failed',
    trigger: 'two failing batches, one right after the other',
    covered: { by: 'failures-at-once-leave-nothing' },
  },
  {
    id: 'CAN-14',
    report: 'Harmeet10000/AgentNexus-LangChain-FastAPI#47',
    fault: 'errors become values, so that the transaction round them commits',
    trigger: 'a failure after the first statement',
    covered: { by: 'nothing-persists-after-failure' },
  },
  {
    id: 'CAN-16',
    report: 'GoogleCloudPlatform/pgadapter#1836',
    fault: 'a commit that fails leaves its transaction open',
    trigger: 'a refused commit, and a good batch',
    covered: { by: 'backend-usable-after-failure' },
  },
];
