/** The connection was lost while the server was committing: the batch may be stored or not. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';

  constructor(cause: unknown) {
    super(`the answer was lost: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
