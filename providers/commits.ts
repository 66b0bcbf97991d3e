import type { SeenStatement } from '../contracts/kernel/engine.ts';

/** Transactions, those of a single statement too, that wrote something and were committed, by the order of the statements. */
export function commitsOf(statements: readonly SeenStatement[]): number {
  /** Of each connection: absent outside a transaction, else whether it has written. */
  const open = new Map<number, boolean>();
  let commits = 0;
  for (const { kind, connection, failed } of statements) {
    if (failed !== undefined) continue;
    if (kind === 'begin') open.set(connection, false);
    else if (kind === 'commit' || kind === 'rollback') {
      if (kind === 'commit' && open.get(connection)) commits += 1;
      open.delete(connection);
    } else if (kind === 'write') {
      if (open.has(connection)) open.set(connection, true);
      else commits += 1;
    }
  }
  return commits;
}
