import type { Honest } from './calls.ts';

let scratches = 0;

/** Leaves an audit row of this schedule that belongs to no write: that of another schedule, under its name. */
export async function addAudit(
  { advance, put, tools }: Omit<Honest, 'ask'>,
  schedule: string,
  now: string,
): Promise<void> {
  const scratch = `scratch-${scratches++}`;
  await put({ id: scratch, status: 'active', version: 1, cursor: now, runs: 0, error: null });
  const expected = { schedule: scratch, expectedVersion: 1, expectedCursor: now, auditLevel: 'minimal', now };
  await advance({ ...expected, next: null });
  await tools.hand.edit((row) => {
    const column = Object.keys(row).find((name) => row[name] === scratch);
    if (column === undefined) return undefined;
    if ('version' in row) return 'remove';
    row[column] = schedule;
    tools.lied();
    return undefined;
  });
}
