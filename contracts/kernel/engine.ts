import type { EngineFacts, Means } from './capabilities.ts';

/** Where a subject finds its namespace; each provider has a shape of its own. Plain data. */
export interface Site {
  provider: string;
  mode: string;
}

/** What a read by the provider's own statement brought: rows, or the word that the namespace is not there. */
export type Found = { rows: Record<string, unknown>[] } | { missing: string };

/** The content of a lease at one moment. Only the lease that made it can read it. */
export interface Snapshot {
  readonly tables: Readonly<Record<string, number>>;
}

/** How the engine makes a row fail. */
export type RowFaultKind = 'trigger' | 'unique' | 'not-null' | 'check' | 'too-long' | 'serialization' | 'session-ended';

/**
 * A moment in what the subject says to its engine.
 *
 * The commit is the COMMIT of a transaction, or the single statement (the pipeline up to its Sync) that commits itself:
 * before anything of it reaches the engine; when it is on its way, whatever the engine makes of it; when the engine has
 * carried it out, but nothing of the acknowledgement has been handed back.
 */
export type Point =
  /** Before the n-th statement, from 1 since arming. */
  | { statement: number }
  /** Before the next statement whose text contains this. */
  | { matching: string }
  | { commit: 'before-sent' | 'after-sent' | 'before-ack' };

/** How the engine itself ends what a session does. */
export const abortKinds = ['statement-timeout', 'lock-timeout', 'idle-timeout', 'terminated'] as const;
export type AbortKind = (typeof abortKinds)[number];

/** A disturbance, named by its meaning; the provider picks the mechanism. */
export type Fault =
  /**
   * The n-th row (from 1) that any session inserts into `table`, or changes there, is refused by the engine; later ones
   * too, unless `once`.
   */
  | { at: 'row'; table: string; nth: number; kind: RowFaultKind; once?: boolean; on?: 'insert' | 'update' }
  /** Every row that is inserted into `table` and holds this text is refused by the engine, however often it is sent. */
  | { at: 'poison'; table: string; text: string }
  /** The next commit that holds a row of `table` is refused by the engine. */
  | { at: 'commit'; table: string }
  /** The next rollback of a whole transaction fails: the driver refuses it, or its connection is cut before it is sent. */
  | { at: 'rollback' }
  /** The next rows of `table` get identities from `start` on, `step` apart. */
  | { at: 'identity'; table: string; start: bigint; step: number }
  /** The subject's sessions, those that begin from now on, have this time zone. */
  | { at: 'session'; zone: string }
  /** Another session holds the lock that a write needs, until the fault is disarmed. */
  | { at: 'lock' }
  /** Every session that is about to write waits, within a statement, until the fault is disarmed; then all go on at once. */
  | { at: 'start' }
  /** The subject's connection is cut at the point, once. */
  | { at: 'cut'; point: Point }
  /** What the subject says is held at the point, once, until the fault is disarmed; what its client gives up is dropped. */
  | { at: 'hold'; point: Point }
  /** Likewise for so many milliseconds. */
  | { at: 'delay'; point: Point; milliseconds: number }
  /** The engine ends the subject's work on the next batch, once, by this kind. */
  | { at: 'abort'; by: AbortKind }
  /** The process that hosts the engine is killed (SIGKILL) at the point; `Lease.recover` starts it again. */
  | { at: 'crash'; point: Point };

/** What an armed fault did, counted outside the subject's transaction. */
export interface Sprung {
  /** How often the trap went off. */
  count: number;
  /** Rows that the engine had accepted, since arming, when it first went off. */
  rowsBefore: number;
  /** How often the engine was seen to raise the error that carries `nonce`. */
  raised: number;
  /** Bytes of the subject's connection that had passed since arming, to the engine and back, when it first went off. */
  passed?: { up: number; down: number };
}

/** What a provider must have for each fault. */
export const meansOf = {
  row: 'rowFault',
  poison: 'rowFault',
  commit: 'commitFault',
  rollback: 'rollbackFault',
  identity: 'identityStart',
  session: 'sessionZone',
  lock: 'lock',
  start: 'lock',
  cut: 'cut',
  hold: 'hold',
  delay: 'hold',
  abort: 'abort',
  crash: 'crash',
} as const satisfies Record<Fault['at'], Means>;

export interface ArmedFault {
  /** Text that the raised error carries, unless the engine alone words it. */
  readonly nonce: string;
  /** Resolves when a fault at a point goes off for the first time; absent for faults that are only counted. */
  readonly reached?: Promise<void>;
  /**
   * Resolves when so many of the subject's sessions have been seen to wait, or when no other can come: each of its
   * threads is stopped. There for a lock and a start alone.
   */
  waiting?(sessions: number): Promise<void>;
  sprung(): Promise<Sprung>;
  /** Lets go of what is held, and removes the fault. */
  disarm(): Promise<void>;
}

/** One statement of the subject, as the wire or the host's driver saw it. */
export interface SeenStatement {
  kind: 'begin' | 'commit' | 'rollback' | 'write' | 'read' | 'other';
  text: string;
  /** The rows it changed, where the driver says so. */
  rows?: number;
  /** How many parameters it was run with, where that is seen. */
  bound?: number;
  failed?: string;
  /** The connection that ran it, numbered from 1 on each lease. */
  connection: number;
  /** Begin and end on the system's monotonic clock, in milliseconds; comparable between threads and processes. */
  startedMs: number;
  endedMs: number;
}

/** One look by another reader while a call was running. */
export interface Sample {
  /** How many of the subject's statements had been begun when the reader looked. */
  statements: number;
  /** Taken inside a statement or an open transaction of the subject, not merely before or after. */
  inFlight: boolean;
  found: Found | { refused: string };
}

/** What the other reader reads: by a statement, or the row counts of tables, one column a table. */
export type SampleBy = { statement: string } | { tables: string[] };

/** Something that was done to what the subject says to its engine, or to the engine. */
export interface Interfered {
  /** Such as `cut before "COMMIT" was sent`. */
  text: string;
  /** The connection, numbered as those of the statements; absent where it was done to all of them. */
  connection?: number;
  /** When, on the clock of the statements. */
  atMs: number;
}

export interface Watched {
  statements: SeenStatement[];
  /** What faults did meanwhile, where there is a wire to see it on. */
  interference?: Interfered[];
  /** Flights of requests that were answered before the next; absent where there is no wire to count them on. */
  roundTrips?: number;
  /** Transactions, those of a single statement too, that wrote something and were committed. */
  commits: number;
  samples: Sample[];
}

/** A recording of what the subject does on its lease. */
export interface Watch {
  stop(): Promise<Watched>;
}

/** The provider's own statement was kept waiting by a lock that the subject holds although no call of it is running. */
export class LeftLocked extends Error {
  override name = 'LeftLocked';
}

/** The process that hosted an engine has been killed. */
export interface Crashed {
  /** Processes that ended by SIGKILL; none of them is there any more. */
  pids: number[];
}

/** The part of a host that a lease needs: calls to the provider's agent that lives beside the subject. */
export interface AgentLink {
  call(method: string, args: unknown[]): Promise<unknown>;
  /** Kills the host's process at once; resolves when it is gone. Absent for a host in the judge's own process. */
  kill?(): Promise<void>;
}

/** What was seen while an engine was waited for. */
export interface Stillness {
  /** In words: what was open when it was quiet, or no longer waited for. */
  words: string;
  /** Something was still going on meanwhile. */
  stirred: boolean;
  /** A statement or a transaction was open when it was no longer waited for. */
  open?: boolean;
}

/** A transaction of another session: what it has locked stays locked until it ends. */
export interface OtherTransaction {
  /** Runs a statement in the engine's own language, with its parameters. Resolves to the rows it changed. */
  run(statement: string, parameters?: readonly string[]): Promise<number>;
  /** Resolves when so many of the subject's sessions have been seen to wait, or when no other can come. */
  waiting(sessions: number): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Where a caller of the subject keeps rows of his own. */
export interface CallersTable {
  /** The statement, in the engine's own language, that inserts a row with this text (letters and digits). */
  insert(text: string): string;
  /** The texts that another reader sees there. */
  texts(): Promise<string[]>;
}

/**
 * A namespace of its own on an engine, for one guard at a time.
 *
 * Everything here goes around the subject: by the provider's own connection, or, where a private database has only one,
 * by the provider's own statements through the agent in the subject's host.
 */
export interface Lease {
  readonly facts: EngineFacts;
  /** Where the subject opens. */
  readonly site: Site;
  /** Row faults that can be raised here. */
  readonly rowFaults: readonly RowFaultKind[];
  /** Called for every host that opens the site, before the subject opens it. Returns the way to leave again. */
  attach(agent: AgentLink): Promise<() => Promise<void>>;
  /** Reads by a statement in the engine's own language, in one snapshot. */
  read(statement: string): Promise<Found>;
  /** The tables of this namespace and how many rows each holds. */
  snapshot(): Promise<Snapshot>;
  /** Makes the content what it was, row by row; tables that are not in the snapshot are emptied. */
  restore(snapshot: Snapshot): Promise<void>;
  /** Begins a transaction of another session; one that is open when the lease is released is rolled back. */
  begin(): Promise<OtherTransaction>;
  /** A table of the caller's own, beside the subject's, for what a caller writes in a transaction of his. */
  callersTable(): Promise<CallersTable>;
  /** Refreshes the statistics that the engine plans by. */
  analyse(): Promise<void>;
  /** Removes the namespace's tables, so that it reads as never created. */
  wipe(): Promise<void>;
  arm(fault: Fault): Promise<ArmedFault>;
  /** Kills, at once and by SIGKILL, the process that hosts the engine; resolves when it is gone. */
  crash(): Promise<Crashed>;
  /** Starts the engine again on the same data after a crash; tells in words by what it is seen to be the same. */
  recover(): Promise<string>;
  /**
   * Resolves when nothing that the subject sent is running any more or has a transaction open; or after a while, since
   * a library may never be still.
   */
  quiet(): Promise<Stillness>;
  /** Starts to record; with `sample`, another reader looks between and inside the subject's statements. */
  watch(sample?: SampleBy): Promise<Watch>;
  /** Removes the namespace (or leaves it in place with `keep`). */
  release(options?: { keep?: boolean }): Promise<void>;
}
