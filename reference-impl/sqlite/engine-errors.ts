/** SQLite's primary result codes of a lock that was not to be had. */
const passing = new Set([5 /* SQLITE_BUSY */, 6 /* SQLITE_LOCKED */]);

/** Tells of an error of the engine, in its property `retryable`, whether the same call can succeed when made again. */
export function classified(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // The lower byte is the primary code; the others tell how it came about.
  return Object.assign(error, { retryable: passing.has(Number(error.errcode) & 0xff) });
}
