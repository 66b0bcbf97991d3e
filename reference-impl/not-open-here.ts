/** What a caller passed as a transaction is not one that is open on this store. */
export class NotOpenHere extends TypeError {
  override name = 'NotOpenHere';
  readonly retryable = false;

  constructor() {
    super('the transaction has ended, or it was not begun on this store');
  }
}
