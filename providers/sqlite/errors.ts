/** SQLite's primary result codes and one extended code that matter here. */
const busy = 5;
const locked = 6;
const foreignKeyViolated = 787;
export const diskFailed = 10;

function resultCode(cause: unknown): number {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { errcode } = error as { errcode?: unknown };
    if (typeof errcode === 'number') return errcode;
  }
  return 0;
}

/** Whether somebody else's lock is the reason. */
export function isBusy(cause: unknown): boolean {
  const primary = resultCode(cause) & 0xff;
  return primary === busy || primary === locked;
}

export function isForeignKeyViolation(cause: unknown): boolean {
  return resultCode(cause) === foreignKeyViolated;
}

/** What a subject is told that holds a lock although no call of it is running. */
export const leftOpen = 'the subject has left a transaction open: the database stays locked after its call';

/** Whether an agent found so in its host; classes do not cross a link, names do. */
export function saysLeftOpen(cause: unknown): boolean {
  return (cause as { failure?: { name?: string } } | null)?.failure?.name === 'LeftLocked';
}
