import type { Bench } from './guard.ts';
import { sameJson } from './print.ts';
import type { Difference, StoredBy } from './writes.ts';

/** Fields that hold an instant: `dueAt`, `expiresAt`, `createdAt`, whatever else ends like them. */
export function isInstant(field: string): boolean {
  return field.endsWith('At');
}

/** JSON text as the value that it stands for; what is no JSON as it is. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** An instant as epoch milliseconds; what is none as it is. */
export function instant(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string') return value;
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : time;
}

/**
 * How stored rows differ, slot by slot, from others that were written at another time; the ids aside. The fields that
 * depend on when their call was made are compared as offsets from its start: all instants, unless told otherwise.
 */
export function rowDifferences(
  bench: Bench,
  found: readonly StoredBy[],
  expected: readonly StoredBy[],
  dependsOnCall: (field: string) => boolean = isInstant,
): Difference[][] {
  const { timeResolution } = bench.declaration;
  const alike = (field: string, row: StoredBy, other: StoredBy): boolean =>
    dependsOnCall(field)
      ? sameOffset(field, row, other, timeResolution)
      : sameJson(row.row.fields[field], other.row.fields[field]);
  return found.map((row, slot) => {
    const other = expected[slot]!;
    const fields = new Set([...Object.keys(row.row.fields), ...Object.keys(other.row.fields)]);
    return [...fields]
      .filter((field) => !alike(field, row, other))
      .map((field) => ({ field, expected: other.row.fields[field], found: row.row.fields[field] }));
  });
}

function sameOffset(field: string, a: StoredBy, b: StoredBy, resolution: number): boolean {
  const [left, right] = [a.row.fields[field], b.row.fields[field]];
  if (typeof left !== 'number' || typeof right !== 'number') return sameJson(left, right);
  // Each call may have read its clock at any moment between its begin and its end.
  const slack = Math.max(a.by.settledAt - a.by.startedAt, b.by.settledAt - b.by.startedAt) + 2 * resolution;
  return Math.abs(left - a.by.startedAt - (right - b.by.startedAt)) <= slack;
}
