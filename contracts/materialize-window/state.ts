import { tokenIn } from '../kernel/bodies.ts';
import type { Offer } from '../kernel/capabilities.ts';
import { type Bench, type Rig, Violation } from '../kernel/guard.ts';
import { short } from '../kernel/print.ts';
import { parsed } from '../kernel/rows.ts';
import { floored, givenInstant, type Instant, shownInstant } from './instants.ts';
import type { AuditState, ChildState, ScheduleState, Stamp, State } from './model.ts';

/** What is stored, read around the subject. Throws a `Violation` where a statement does not show what it has to. */
export async function readState(bench: Bench, rig: Rig): Promise<State> {
  const schedules = await readSchedules(bench, rig);
  const children = await rowsOf(bench, rig, 'rows', childColumns(bench));
  const audits = keepsAudit(bench) ? await rowsOf(bench, rig, 'audits', auditColumns) : null;
  return {
    schedules,
    children: children.map((row) => readChild(bench, row)),
    audits: audits?.map(readAudit) ?? null,
  };
}

/** The schedules alone. */
export async function readSchedules(bench: Bench, rig: Rig): Promise<ScheduleState[]> {
  return (await rowsOf(bench, rig, 'schedules', scheduleColumns)).map(readSchedule);
}

/** Whether the backend claims that it keeps an audit. */
export function keepsAudit({ declaration }: Bench): boolean {
  return declaration.extras.includes('audit');
}

/** The state in which nothing is stored. */
export function emptyState(bench: Bench): State {
  return { schedules: [], children: [], audits: keepsAudit(bench) ? [] : null };
}

/** Makes a call, and tells what it has to be stamped with: the caller's `now`, or some moment of the call. */
export async function withStamp<T>(
  { declaration }: Bench,
  now: string,
  call: () => Promise<T>,
): Promise<{ came: T; stamp: Stamp }> {
  const from = Date.now();
  const came = await call();
  const { clock, timeResolution } = declaration;
  if (clock === 'caller') return { came, stamp: givenInstant(now, timeResolution) };
  // The judge's clock shows no parts of a millisecond.
  const stamp = { from: floored(BigInt(from) * 1000n, timeResolution), to: BigInt(Date.now() + 1) * 1000n };
  return { came, stamp };
}

const scheduleColumns = ['id', 'status', 'version', 'cursor', 'runs', 'error', 'lastRunAt'];
const auditColumns = ['schedule', 'event', 'slotAt', 'createdAt'];

/** Where the probe finds what an option of a child was stored as. */
export const storedAs = {
  delay: 'dueAt',
  expiration: 'expiresAt',
  route: 'route',
  priority: 'priority',
} as const satisfies Partial<Record<Offer, keyof ChildState>>;

/** The fields of a child that this backend has to show, beside its id. */
export function childColumns({ declaration }: Bench): string[] {
  const optional = Object.entries(storedAs).filter(([option]) => declaration.offers.includes(option as Offer));
  return ['schedule', 'slotAt', 'body', ...optional.map(([, column]) => column)];
}

/** A row of a probe, and how to read its columns. */
interface Reader {
  text(column: string): string;
  integer(column: string): unknown;
  /** Null where nothing is stored. */
  instant(column: string): Instant | null;
  value(column: string): unknown;
}

async function rowsOf(bench: Bench, rig: Rig, what: string, columns: readonly string[]): Promise<Reader[]> {
  const found = await rig.read(what);
  if ('missing' in found) throw new Violation(`the namespace is not there: the probe misses ${found.missing}`);
  return found.rows.map((row) => {
    const absent = columns.filter((column) => row[column] === undefined);
    if (absent.length > 0) throw new Violation(`the statement that reads the ${what} shows no ${absent.join(', no ')}`);
    return reader(row, what, bench.declaration.timeResolution);
  });
}

function reader(row: Record<string, unknown>, what: string, resolution: number): Reader {
  return {
    text: (column) => String(row[column]),
    integer: (column) => integer(row[column]),
    value: (column) => row[column],
    instant(column) {
      const value = row[column] ?? null;
      if (value === null) return null;
      const instant = shownInstant(value, resolution);
      if (instant !== undefined) return instant;
      const form = 'ISO text with an offset, epoch milliseconds or a Date';
      throw new Violation(
        `the statement that reads the ${what} shows ${column} as ${short(value)}; it has to be ${form}`,
      );
    },
  };
}

/** Drivers show large columns as bigint or as text; what is no integer stays as it is. */
function integer(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
}

function readSchedule(row: Reader): ScheduleState {
  return {
    id: row.text('id'),
    status: row.text('status'),
    version: row.integer('version') as number,
    cursor: row.instant('cursor'),
    runs: row.integer('runs') as number | null,
    error: row.value('error') as string | null,
    lastRunAt: [row.instant('lastRunAt')],
  };
}

function readChild({ declaration }: Bench, row: Reader): ChildState {
  const body = declaration.body === 'json' ? parsed(row.value('body')) : row.value('body');
  return {
    id: row.text('id'),
    token: tokenIn(body),
    schedule: row.text('schedule'),
    slotAt: required(row, 'slotAt'),
    body,
    dueAt: row.instant('dueAt'),
    expiresAt: row.instant('expiresAt'),
    route: row.value('route') as string | null,
    priority: row.integer('priority') as number | null,
    ...(row.value('createdAt') !== undefined && { createdAt: row.instant('createdAt') }),
  };
}

function required(row: Reader, column: string): Instant {
  const instant = row.instant(column);
  if (instant === null) throw new Violation(`a child is stored without its slot: the rows show ${column} as null`);
  return instant;
}

function readAudit(row: Reader): AuditState {
  return {
    schedule: row.text('schedule'),
    event: row.text('event'),
    slotAt: row.instant('slotAt'),
    createdAt: row.instant('createdAt'),
  };
}
