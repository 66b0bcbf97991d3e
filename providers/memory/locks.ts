import type { Transaction } from './transaction.ts';

/** Names that belong to one open transaction at a time. */
export class Locks {
  readonly #holders = new Map<string, Transaction>();

  /** Gives a name to a transaction; when it is another's, returns that one instead. */
  take(name: string, by: Transaction): Transaction | undefined {
    const holder = this.#holders.get(name);
    if (holder !== undefined && holder !== by) return holder;
    this.#holders.set(name, by);
    return undefined;
  }

  releaseAllOf(transaction: Transaction): void {
    for (const [name, holder] of this.#holders) if (holder === transaction) this.#holders.delete(name);
  }
}
