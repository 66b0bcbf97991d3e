/** The system's monotonic clock in milliseconds; all threads and processes of a machine read the same. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
