/** Nobody waits for the server's answer any more, and it may have committed: the batch may be stored or not. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';
  /** Tells a caller who is thrown this that it is no plain failure. */
  readonly unknown = true;

  constructor(cause: unknown) {
    super(`the answer was lost: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
