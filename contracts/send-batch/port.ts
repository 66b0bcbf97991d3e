import type { Id, ReportedOutcome } from '../kernel/outcome.ts';

/** One message of a batch, as the subject receives it. Only `body` is always there. */
export interface Message {
  body: unknown;
  /** Queue or task name. */
  destination?: string;
  /** Milliseconds from now until the message is due. */
  delay?: number;
  /** Milliseconds from now until the message expires. */
  expiration?: number;
  /** An integer; what is urgent is the backend's own matter. */
  priority?: number;
  route?: string;
  correlationId?: string;
  headers?: Record<string, unknown>;
  dedupeKey?: string;
  /** The caller's own id for the message. */
  id?: string;
  /** Values for columns of the user's own. */
  columns?: Record<string, unknown>;
  /** Name of a scheduled job that the message asks for. */
  job?: string;
}

export interface SendOptions {
  signal?: AbortSignal;
  /** A transaction of the caller, as the adapter's own `begin` made it. */
  transaction?: unknown;
  chunkSize?: number;
}

type Reported<T> = T | Promise<T>;

/** A transaction that a caller of the backend has begun, for the offer `transaction`. */
export interface CallersTransaction {
  /** What the caller passes as `transaction`: whatever the backend takes for one. */
  readonly handle: unknown;
  /** Runs a statement of the caller's own in the transaction. */
  run(statement: string): Reported<unknown>;
  commit(): Reported<void>;
  rollback(): Reported<void>;
}

/** A message as a receiver gets it. */
export interface ReceivedMessage {
  id: Id | null;
  body: unknown;
}

/** What an adapter for `send-batch` implements. */
export interface SendBatchPort {
  sendBatch(messages: readonly Message[], options: SendOptions): Reported<readonly ReportedOutcome[]>;
  /** One message by the single path, where the backend has one. */
  send?(message: Message, options: SendOptions): Reported<ReportedOutcome>;
  /** Extra `sync`: the batch call that has ended when it returns. */
  sendBatchSync?(messages: readonly Message[], options: SendOptions): readonly ReportedOutcome[];
  /** Offer `transaction`: begins a transaction the way in which a caller of the backend does. */
  begin?(): Reported<CallersTransaction>;
  /** Extra `fifo`: takes up to `count` messages that are due, in their order of arrival. */
  receive?(count: number): Reported<readonly ReceivedMessage[]>;
  /** Extra `buffered`: takes messages into the buffer; a later `flush` stores them. */
  accept?(messages: readonly Message[], options: SendOptions): Reported<void>;
  /** Extra `buffered`: stores everything that was accepted before; one outcome for each, in the order of acceptance. */
  flush?(): Reported<readonly ReportedOutcome[]>;
  /** Extra `read`: what the backend itself reads of its messages. */
  read?(): Reported<readonly StoredMessage[]>;
  /** Extra `ambient`: runs `call` with a context round it that the backend's single path picks up (a trace, a tenant). */
  inContext?<T>(context: string, call: () => T): T;
  close?(): Reported<void>;
}

/**
 * One stored message, as the probe reads it: by the column aliases of the declared statement, or from a probe function.
 * `id` is read as text; `body` and `headers` as values or as JSON text; instants as epoch milliseconds or ISO 8601 text.
 */
export interface StoredMessage {
  id: string;
  body: unknown;
  destination?: string | null;
  priority?: number | null;
  route?: string | null;
  correlationId?: string | null;
  headers?: Record<string, unknown> | null;
  dedupeKey?: string | null;
  dueAt?: number | null;
  expiresAt?: number | null;
  [column: string]: unknown;
}
