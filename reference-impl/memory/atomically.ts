import type { Store, Transaction } from '../../memory.ts';

/** Runs `work` in a transaction of its own: all of it is committed, or none. */
export function atomically<T>(store: Store, work: (transaction: Transaction) => T): T {
  const transaction = store.begin();
  try {
    const result = work(transaction);
    transaction.commit();
    return result;
  } catch (error) {
    undo(transaction, error);
    throw error;
  }
}

/** Rolls back after an error; when that fails as well, throws an error whose cause is the first. */
export function undo(transaction: Transaction, error: unknown): void {
  try {
    transaction.rollback();
  } catch (second) {
    throw new Error(`${String(error)}; and the rollback failed: ${String(second)}`, { cause: error });
  }
}
