/** What was asked for cannot be done as it was written: an unknown name, a bad number, a filter that matches nothing. */
export class UsageError extends Error {
  override name = 'UsageError';
  /** What would be right, in one line. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
