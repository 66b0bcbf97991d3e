import { DatabaseError } from 'pg';

/**
 * Tells of an error of the server, in its property `retryable`, whether the same call can succeed when it is made again:
 * after a conflict with another transaction, a lock that was not to be had, and the end of the session or the server.
 */
export function classified(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return Object.assign(error, { retryable: passing.test(error.code ?? '') });
}

/** SQLSTATE by class: transaction rollback, connection, resources; lock_not_available; shutdown. */
const passing = /^(40|08|53|55P03|57P0)/;
