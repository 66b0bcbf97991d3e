/** What is known of one guard about a library. */
export interface Found {
  /** What the library does, in its own terms. */
  what: string;
  /** Whether the guard is red in some runs and green in others, as it depends on who is first. */
  varies?: true;
}

/** What a library is expected to be told. */
export interface LibraryRecord {
  version: string;
  /** The call that writes a batch, and where the library documents it. */
  batch: string;
  docs: string;
  /** Seconds that all guards took when the page was written. */
  seconds: number;
  /** What its adapter does not offer, each with the reason. */
  notOffered: Record<string, string>;
  violated: Record<string, Found>;
  /** Guards that do not apply, by the reason that is given, without what stands in brackets after it. */
  notApplicable: Record<string, string[]>;
}

const keyGuards = [
  'duplicates-are-named',
  'duplicate-inside-the-batch',
  'duplicates-equal-singles',
  'ids-beside-duplicates',
  'distinct-keys-stay-distinct',
  'keys-are-kept',
  'retry-does-not-duplicate',
  'replay-is-recognised',
  'replay-with-fresh-items',
  'key-is-bound-to-content',
  'racing-keys-store-once',
  'loser-waits-for-the-holder',
  'opposite-orders-do-not-deadlock',
  'failed-keys-are-free',
];
const heldGuards = [
  'held-rows-wait-for-the-callers-commit',
  'held-rollback-removes-all',
  'held-commit-keeps-all',
  'held-failure-throws',
  'held-failure-leaves-no-half',
  'held-transaction-stays-the-callers',
  'held-foreign-or-closed-is-refused',
];

const noKeys = { 'dedupeKey is not offered': keyGuards };
const noTransactions = { 'transaction is not offered': heldGuards };
const noChunkSize = { 'chunkSize is not offered': ['chunk-size-option'] };
const noCallerIds = { 'callerIds is not offered': ['caller-ids-are-kept'] };
const noDestination = { 'destination is not offered': ['unknown-destination-fails-whole'] };
const anyDestination = { 'it takes any destination': ['unknown-destination-fails-whole'] };
const noRollback = {
  'it sends no rollback when the engine has refused a row': ['original-error-survives-rollback'],
};

/** Guards that apply to none of the libraries. */
export const appliesToNone: Record<string, string[]> = {
  'cancel is not offered': [
    'abort-takes-effect',
    'aborted-before-start-writes-nothing',
    'cancelled-is-all-or-nothing',
    'usable-after-abort',
    'held-abort-takes-effect',
  ],
  'buffered is not claimed': [
    'flush-covers-everything-accepted',
    'sent-during-flush-is-kept',
    'failed-flush-is-told-and-kept',
    'flush-writes-once',
    'flush-equals-singles',
  ],
  'persistent is not claimed': ['acknowledged-survives-reopen'],
  'durable is not claimed': ['acknowledged-survives-crash'],
  'fifo is not claimed': ['equal-times-stay-in-order'],
  'sync is not claimed': ['sync-and-async-agree'],
  'read is not claimed': ['own-reads-agree'],
  'ambient is not claimed': ['ambient-context-is-kept'],
  'atomic is promised': ['each-outcome-is-true'],
  'it calls no failure of a single send retryable or permanent': ['error-keeps-its-class'],
  'its outcomes say nothing about their messages': ['outcome-describes-its-message'],
  'it shows no status table': ['status-row-per-message'],
  'no field that its rows show differs between single sends that set nothing': ['defaults-are-per-row'],
};

/** What is judged whenever the tests run, beside what is violated; the rest takes minutes. */
const core = [
  'nothing-persists-after-failure',
  'no-partial-visibility',
  'commit-failure-is-reported',
  'lost-ack-is-all-or-nothing',
  'failed-batch-does-not-come-back',
  'every-outcome-reports-the-failure',
  'ids-are-unique-and-real',
  'caller-ids-are-kept',
  'metadata-round-trips',
  'duplicates-are-named',
  'held-rows-wait-for-the-callers-commit',
  'held-failure-leaves-no-half',
];

const driversError: Found = {
  what: "a batch whose acknowledgement is lost is told by the driver's error (ECONNRESET), as one that never arrived is",
};
const readsLater: Found = { what: 'the data of a batch are read only after the call has returned its promise' };
const leadsElsewhere: Found = {
  what: "a batch that is handed another database's transaction is written there, and told as stored",
};

/** The libraries, by the names of their packages. */
export const libraries: Record<string, LibraryRecord> = {
  'pg-boss': {
    version: '12.38.0',
    batch: 'boss.insert(name, jobs, { returnId: true })',
    docs: 'https://pgboss.io/api/jobs#insert-name-job-options',
    seconds: 61,
    notOffered: {
      dedupeKey: 'singletonKey: insert leaves a job out without saying which of the batch it was',
      destination: 'an insert writes to one queue',
      cancel: 'it takes no signal',
    },
    violated: {
      'invalid-message-fails-whole': {
        what: 'send refuses a function as data; insert stores null in its place',
      },
      'batch-equals-singles': {
        what: 'send refuses a priority of NaN; insert stores the job with the default priority',
      },
      'caller-ids-are-kept': {
        what: 'a job whose id is taken is left out of an insert, which returns the ids of the others',
      },
      'unknown-is-told': driversError,
      'inputs-may-change-in-flight': readsLater,
      'empty-batch-sends-nothing': { what: 'an insert of no jobs is sent to the server' },
    },
    notApplicable: {
      ...noKeys,
      ...noChunkSize,
      ...noDestination,
      ...noRollback,
      'no column of job takes its values from a sequence': ['foreign-conflict-is-an-error'],
      'ids are no whole numbers': ['ids-survive-any-step', 'ids-are-lossless'],
    },
  },
  'graphile-worker': {
    version: '0.18.0',
    batch: 'utils.addJobs(specs)',
    docs: 'https://worker.graphile.org/docs/sql-add-job#graphile_workeradd_jobs',
    seconds: 88,
    notOffered: {
      transaction: "addJobs of WorkerUtils takes none; in a caller's transaction jobs are added by SQL",
      callerIds: 'a job takes no id of the caller',
      cancel: 'it takes no signal',
    },
    violated: {
      'ids-in-caller-order': {
        what: 'the jobs come back in the order in which the server joined them with their tasks; the name of the task is added by position, so that a returned job may name another task than its own',
      },
      'duplicates-equal-singles': {
        what: 'the jobs come back in another order, so that the revision which tells a replaced job stands in another place',
      },
      'duplicate-inside-the-batch': {
        what: 'a job key that stands twice in a batch fails the batch (cannot affect row a second time); added one by one, the second replaces the first',
      },
      'explicit-falsy-is-kept': {
        what: 'a payload of null becomes {}, the documented default of a payload that is absent; addJob does the same',
      },
      'body-round-trips': { what: 'the same payload of null' },
      'backend-usable-after-failure': {
        what: 'after the server has ended the session, a batch that is begun at once gets the ended connection from the pool, and fails',
        varies: true,
      },
      'opposite-orders-do-not-deadlock': {
        what: 'of two batches with the same job keys in opposite orders one fails by the deadlock that the server finds, told by its code 40P01 alone',
        varies: true,
      },
      'unknown-is-told': driversError,
      'inputs-may-change-in-flight': readsLater,
      'empty-batch-sends-nothing': { what: 'a batch of no jobs is sent to the server' },
    },
    notApplicable: {
      ...noChunkSize,
      ...noCallerIds,
      ...anyDestination,
      ...noRollback,
      'transaction is not offered': [...heldGuards, 'loser-waits-for-the-holder'],
      'the other body takes the place of the first, as keyPolicy replace declares': ['key-is-bound-to-content'],
    },
  },
  knex: {
    version: '3.3.0',
    batch: "knex.batchInsert(table, rows, chunkSize).returning('id')",
    docs: 'https://knexjs.org/guide/utility.html#batchinsert',
    seconds: 63,
    notOffered: {
      dedupeKey: 'batchInsert has no onConflict',
      callerIds: 'the table numbers its rows',
      cancel: 'it takes no signal',
    },
    violated: {
      'original-error-survives-rollback': {
        what: 'where the rollback fails as well, its error is reported in place of the first',
      },
      'held-foreign-or-closed-is-refused': leadsElsewhere,
      'chunk-size-option': { what: 'with a chunk size of NaN nothing is stored, and no error is told' },
      'empty-batch-sends-nothing': { what: 'a transaction is begun and committed for a batch of no rows' },
      'unknown-is-told': driversError,
    },
    notApplicable: { ...noKeys, ...noCallerIds, ...anyDestination },
  },
  'drizzle-orm': {
    version: '0.45.4',
    batch: 'db.insert(table).values(rows).returning()',
    docs: 'https://orm.drizzle.team/docs/insert#insert-multiple-rows',
    seconds: 43,
    notOffered: {
      dedupeKey: 'onConflictDoNothing with returning leaves a row out without saying which of the batch it was',
      callerIds: 'the table numbers its rows',
      cancel: 'it takes no signal',
    },
    violated: {
      'empty-batch': { what: 'values() refuses an empty list by an error' },
      'held-foreign-or-closed-is-refused': {
        what: "a transaction that has ended writes on by the connection that it gave back, and commits at once; another database's transaction writes there",
      },
      'unknown-is-told': driversError,
    },
    notApplicable: { ...noKeys, ...noChunkSize, ...noCallerIds, ...anyDestination, ...noRollback },
  },
  sequelize: {
    version: '6.37.8',
    batch: 'Model.bulkCreate(records, { validate: true })',
    docs: 'https://sequelize.org/docs/v6/core-concepts/model-querying-basics/#creating-in-bulk',
    seconds: 29,
    notOffered: {
      dedupeKey: 'ignoreDuplicates leaves a row out without saying which of the batch it was',
      callerIds: 'the table numbers its rows',
      cancel: 'it takes no signal',
    },
    violated: {
      'invalid-message-fails-whole': {
        what: 'create refuses a function as the value of a JSON column; bulkCreate stores null in its place',
      },
      'backend-usable-after-failure': {
        what: 'after the server has ended the session, a batch that is begun at once may get the ended connection from the pool, and fails',
        varies: true,
      },
      'held-foreign-or-closed-is-refused': leadsElsewhere,
      'unknown-is-told': driversError,
      'inputs-may-change-in-flight': readsLater,
    },
    notApplicable: { ...noKeys, ...noChunkSize, ...noCallerIds, ...anyDestination, ...noRollback },
  },
  bullmq: {
    version: '6.7.0',
    batch: 'queue.addBulk(jobs)',
    docs: 'https://docs.bullmq.io/guide/queues/adding-bulks',
    seconds: 64,
    notOffered: {
      dedupeKey: 'deduplication: the id of the job that was there comes back as if it had been added',
      callerIds: 'a job id that is there already means that nothing is added',
      destination: 'addBulk adds to one queue',
      transaction: 'it takes none',
      cancel: 'it takes no signal',
    },
    violated: {
      'batch-equals-singles': { what: 'add refuses a priority of NaN; addBulk stores the job without a priority' },
      'unknown-is-told': driversError,
      'empty-batch-sends-nothing': { what: 'a batch of no jobs is sent to the server' },
    },
    notApplicable: {
      ...noKeys,
      ...noTransactions,
      ...noChunkSize,
      ...noCallerIds,
      ...noDestination,
      ...noRollback,
      'its ids do not follow the identity of a table': [
        'foreign-conflict-is-an-error',
        'ids-survive-any-step',
        'ids-are-lossless',
      ],
    },
  },
};

/** The guards, by their names, that are judged whenever the tests run. */
export const everyday = [
  ...new Set([...core, ...Object.values(libraries).flatMap(({ violated }) => Object.keys(violated))]),
];
