/** An error as data: what is left of a thrown value once it has left the subject's thread. */
export interface Failure {
  name: string;
  message: string;
  code?: string;
  /** Whether the backend itself calls the failure worth another try; absent when it does not say. */
  retryable?: boolean;
  /** Thrown in place of outcomes that are unknown: the answer was lost, and nobody can say whether it was stored. */
  unknown?: true;
  /** Index of the item that the error blames, when it blames one. */
  position?: number;
  cause?: Failure;
}

/**
 * What became of one item of a batch, as the judge sees it.
 *
 * `stored` carries the id as text, or null where ids are not promised. `duplicate` carries the id of the row that holds
 * the key; `differs` says that this row has another content than the item, which is not stored. `unknown` means that the
 * answer was lost, and is accepted only when a cut was recorded in that very call.
 */
export type Outcome = (
  | { stored: string | null }
  | { duplicate: string | null; differs?: true }
  | { failed: Failure }
  | { unknown: Failure }
) &
  Described;

/** What else an outcome may say of its item. */
export interface Described {
  /** Values of the item itself (its correlation id, its key), under the names that they have there. */
  about?: Record<string, unknown>;
}

/** An id as a driver hands it out; the host turns it into text without losing digits. */
export type Id = string | number | bigint;

/** An outcome as an adapter may write it: ids in the driver's own type, errors as they were caught. */
export type ReportedOutcome = (
  | { stored: Id | null }
  | { duplicate: Id | null; differs?: true }
  | { failed: unknown }
  | { unknown: unknown }
) &
  Described;

/** A call that has come to its end: it returned a value or it threw. */
export type Settled<T> = { value: T; touched?: string } | { threw: Failure; touched?: string };

/** The failures that an outcome or any of its causes carries, outermost first. */
export function failureChain(failure: Failure): Failure[] {
  const chain: Failure[] = [];
  for (let next: Failure | undefined = failure; next && chain.length < 20; next = next.cause) chain.push(next);
  return chain;
}

/** Whether the failure, or what caused it, speaks of `text`. */
export function failureMentions(failure: Failure, text: string): boolean {
  return failureChain(failure).some((f) => f.message.includes(text) || f.code === text);
}
