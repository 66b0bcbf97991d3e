import type { Interfered } from '../../contracts/kernel/engine.ts';
import { monotonicMs } from '../clock.ts';
import type { Conversation } from './conversation.ts';
import type { Flow } from './flow.ts';
import type { Carrier, Running, WireStatement } from './statement.ts';
import type { Listener, Problem } from './statements.ts';

export interface RecordOptions {
  /** Is awaited at every moment, see `Moment`; if it fails, `stop` fails. */
  between?: (moment: Moment) => Promise<void>;
  /** Texts, one of which is in what the watched call itself sends; they tell its traffic from a library's own. */
  marks?: readonly string[];
}

export interface Recording {
  /** Ends the recording, when the last `between` has been answered. */
  stop(): Promise<Traffic>;
}

/** Errors of one code that the server has sent. */
export interface Hearing {
  readonly count: number;
  stop(): void;
}

/** When `between` is called. */
export interface Moment {
  /**
   * A statement is about to be forwarded; a reply to it is about to be handed back; or the server is at work on it
   * (about forty times for one statement, ever more rarely).
   */
  at: 'statement' | 'running' | 'reply';
  /** Statements that had begun. */
  statements: number;
  /**
   * A statement or a transaction is open on some connection, now: whoever reads this again after having looked knows
   * whether the look was inside. What the client sends ahead, without waiting for replies, can end a transaction
   * before the tap sees that it has.
   */
  readonly inFlight: boolean;
}

export interface Counts {
  /** See `Conversation.roundTrips`. */
  roundTrips: number;
  /** From BEGIN to COMMIT or ROLLBACK, or a statement (a pipeline up to its Sync, a simple query) of its own. */
  transactions: number;
  bytesUp: number;
  bytesDown: number;
}

/** What passed while a recording was on; a statement that began before is not in it. */
export interface Traffic extends Counts {
  statements: WireStatement[];
  /** Only of connections that carried a mark, see `WireStatement.own`. */
  own: Counts;
  /** Transactions, those of a single statement too, that wrote something and were committed. */
  commits: number;
  /** What was done to the connections. */
  interference: Interfered[];
  /** When the recording began, on the clock of the statements. */
  startedMs: number;
}

/** One connection of a client. */
export interface Session {
  readonly conversation: Conversation;
  readonly up: Flow;
  readonly down: Flow;
}

type Count = Omit<Counts, 'transactions'>;

const none: Count = { roundTrips: 0, bytesUp: 0, bytesDown: 0 };

function countsOf({ conversation, up, down }: Session): Count {
  return { roundTrips: conversation.roundTrips, bytesUp: up.bytes, bytesDown: down.bytes };
}

/** What one recording has seen so far. */
class ActiveRecording {
  readonly startedMs = monotonicMs();
  readonly statements: Running[] = [];
  readonly interference: Interfered[] = [];
  readonly #marks: readonly Buffer[] | undefined;
  readonly #longestMark: number;
  /** The last bytes that were searched of each carrier; a mark can lie across two pieces. */
  readonly #tails = new WeakMap<Carrier['marks'], Buffer>();
  readonly #between: RecordOptions['between'];
  /** The counts of every connection when the recording began, or when the connection did. */
  readonly #before = new Map<Session, Count>();
  readonly #looks = new Set<Promise<void>>();
  #failure: { cause: unknown } | undefined;

  constructor(options: RecordOptions, sessions: Iterable<Session>) {
    this.#between = options.between;
    this.#marks = options.marks?.map((mark) => Buffer.from(mark));
    this.#longestMark = Math.max(0, ...(this.#marks ?? []).map(({ length }) => length));
    for (const session of sessions) this.#before.set(session, countsOf(session));
  }

  get looks(): boolean {
    return this.#between !== undefined;
  }

  connected(session: Session): void {
    this.#before.set(session, none);
  }

  look(at: Moment['at'], inFlight: () => boolean): Promise<void> {
    const moment: Moment = {
      at,
      statements: this.statements.length,
      get inFlight() {
        return inFlight();
      },
    };
    const look = (async () => this.#between?.(moment))().catch((cause: unknown) => {
      this.#failure ??= { cause };
    });
    this.#looks.add(look);
    return look.finally(() => this.#looks.delete(look));
  }

  search(bytes: Buffer, carrier: Carrier['marks']): void {
    if (!this.#marks || carrier.has(this)) return;
    const longest = this.#longestMark;
    const before = this.#tails.get(carrier);
    const across = before ? Buffer.concat([before, bytes.subarray(0, longest)]) : bytes;
    if (this.#marks.some((mark) => bytes.includes(mark) || across.includes(mark))) {
      carrier.add(this);
      this.#tails.delete(carrier);
    } else {
      this.#tails.set(carrier, Buffer.from((bytes.length < longest ? across : bytes).subarray(-longest)));
    }
  }

  async traffic(): Promise<Traffic> {
    while (this.#looks.size > 0) await Promise.all(this.#looks);
    if (this.#failure) throw this.#failure.cause;
    this.#finish();
    const carried = (statement: Running): boolean => !this.#marks || statement.marks.has(this);
    const own = new Set(this.statements.filter(carried).map(({ seen }) => seen.connection));
    const transactions = new Set(this.statements.filter(carried).map(({ seen }) => transactionOf(seen)));
    const statements = this.statements.map(({ seen }) => ({
      ...seen,
      own: !this.#marks || own.has(seen.connection),
      marked: transactions.has(transactionOf(seen)),
    }));
    return {
      statements,
      commits: this.#commits(),
      interference: this.interference,
      ...this.#counts(statements, () => true),
      own: this.#counts(
        statements.filter((statement) => statement.own),
        (connection) => !this.#marks || own.has(connection),
      ),
      startedMs: this.startedMs,
    };
  }

  #commits(): number {
    const transactions = Map.groupBy(this.statements, ({ seen }) => transactionOf(seen));
    return [...transactions.values()].filter(isCommitted).length;
  }

  /** What still runs is shown as it stands. */
  #finish(): void {
    const conversations = new Map([...this.#before.keys()].map((s) => [s.conversation.number, s.conversation]));
    for (const { seen, ended } of this.statements) {
      if (ended) continue;
      seen.endedMs = monotonicMs();
      seen.transaction = conversations.get(seen.connection)?.transaction ?? 0;
    }
  }

  #counts(statements: readonly WireStatement[], of: (connection: number) => boolean): Counts {
    const counts = { ...none, transactions: new Set(statements.map(transactionOf)).size };
    for (const [session, before] of this.#before) {
      if (!of(session.conversation.number)) continue;
      const now = countsOf(session);
      counts.roundTrips += now.roundTrips - before.roundTrips;
      counts.bytesUp += now.bytesUp - before.bytesUp;
      counts.bytesDown += now.bytesDown - before.bytesDown;
    }
    return counts;
  }
}

/** Whether the statements of a transaction wrote something that was committed. */
function isCommitted(statements: readonly Running[]): boolean {
  const did = (kind: Running['seen']['kind']): boolean =>
    statements.some(({ seen }) => seen.kind === kind && seen.failed === undefined);
  const ended = statements.every(({ seen, ended }) => ended && seen.failed === undefined);
  // Without a BEGIN it is a single statement, a simple query or a pipeline, of which all parts have to succeed.
  const committed = did('commit') || (ended && !did('begin') && !did('rollback'));
  return committed && statements.some(({ seen, writes }) => writes && seen.failed === undefined && seen.rows !== 0);
}

function transactionOf({ connection, transaction }: { connection: number; transaction: number }): string {
  return `${connection}/${transaction}`;
}

/** The recordings of one tap, and the connections that they are about. */
export class Recorder implements Listener {
  readonly #recordings = new Set<ActiveRecording>();
  readonly #sessions = new Set<Session>();
  /** Functions that may write, in upper case. */
  functions: ReadonlySet<string> = new Set();
  #stirred = Promise.withResolvers<void>();
  #arriving = 0;
  readonly #hearings = new Set<{ sqlstate: string; count: number }>();

  get listening(): boolean {
    return this.#recordings.size > 0;
  }

  /** Whether somebody wants to look between statements. */
  get looks(): boolean {
    for (const recording of this.#recordings) if (recording.looks) return true;
    return false;
  }

  record(options: RecordOptions = {}): Recording {
    const recording = new ActiveRecording(options, this.#sessions);
    this.#recordings.add(recording);
    let traffic: Promise<Traffic> | undefined;
    return {
      stop: () => {
        this.#recordings.delete(recording);
        traffic ??= recording.traffic();
        return traffic;
      },
    };
  }

  began(statement: Running): void {
    for (const recording of this.#recordings) recording.statements.push(statement);
  }

  /** The server has sent an error. */
  failed(error: Problem, connection: number): void {
    for (const hearing of this.#hearings) {
      if (hearing.sqlstate !== error.sqlstate) continue;
      hearing.count += 1;
      this.note(`aborted by the server: ${error.sqlstate} ${error.message}`, connection);
    }
  }

  /** Counts the errors of a code, and enters them in the recordings, until it is let go of. */
  hear(sqlstate: string): Hearing {
    const hearing = { sqlstate, count: 0, stop: () => void this.#hearings.delete(hearing) };
    this.#hearings.add(hearing);
    return hearing;
  }

  /** Something was done to a connection, or to all of them. */
  note(text: string, connection?: number): void {
    const atMs = monotonicMs();
    for (const { interference } of this.#recordings)
      interference.push({ text, atMs, ...(connection !== undefined && { connection }) });
  }

  /** Bytes that have passed on each connection, to the server and back. */
  get bytes(): Map<number, { up: number; down: number }> {
    return new Map([...this.#sessions].map((s) => [s.conversation.number, { up: s.up.bytes, down: s.down.bytes }]));
  }

  connected(session: Session): void {
    this.#sessions.add(session);
    for (const recording of this.#recordings) recording.connected(session);
  }

  closed(session: Session): void {
    this.#sessions.delete(session);
    this.stirred();
  }

  get sessions(): ReadonlySet<Session> {
    return this.#sessions;
  }

  /** A client has come whose session has not begun; to be called again, with -1, when it has, or has ended. */
  arrives(by: 1 | -1): void {
    this.#arriving += by;
    this.stirred();
  }

  /** Connections whose sessions have not begun. */
  get arriving(): number {
    return this.#arriving;
  }

  /** Resolves when something has passed, or a connection has ended. */
  get stirring(): Promise<void> {
    return this.#stirred.promise;
  }

  /** Something has passed, or a connection has ended. */
  stirred(): void {
    this.#stirred.resolve();
    this.#stirred = Promise.withResolvers();
  }

  /** Lets everybody look who wants to. */
  async look(at: Moment['at']): Promise<void> {
    const inFlight = (): boolean => [...this.#sessions].some(({ conversation }) => conversation.inFlight);
    await Promise.all([...this.#recordings].filter(({ looks }) => looks).map((r) => r.look(at, inFlight)));
  }

  /** Looks for marks in bytes of a client. */
  search(bytes: Buffer, carrier: Carrier | undefined): void {
    if (!carrier) return;
    for (const recording of this.#recordings) recording.search(bytes, carrier.marks);
  }
}
