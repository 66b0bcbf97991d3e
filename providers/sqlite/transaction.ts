import type { DatabaseSync } from 'node:sqlite';

/** Makes all changes of `work`, or none. */
export function atomically(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (cause) {
    db.exec('ROLLBACK');
    throw cause;
  }
}
