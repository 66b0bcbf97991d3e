import type { Declaration, MetadataOption } from '../kernel/capabilities.ts';
import type { Bench } from '../kernel/guard.ts';
import { sameJson } from '../kernel/print.ts';
import type { Difference, StoredBy, StoredItem, Written } from '../kernel/writes.ts';
import { offeredOptions, tokenIn } from './messages.ts';
import type { Message } from './port.ts';

/** Where the probe finds what an option was stored as. */
const storedAs: Record<MetadataOption, string> = {
  destination: 'destination',
  delay: 'dueAt',
  expiration: 'expiresAt',
  priority: 'priority',
  route: 'route',
  correlationId: 'correlationId',
  headers: 'headers',
};

/** Fields that hold an instant: `dueAt`, `expiresAt`, `createdAt`, whatever else ends like them. */
export function isInstant(field: string): boolean {
  return field.endsWith('At');
}

/** A row of the probe as the guards compare it: ids as text, JSON parsed, instants as epoch milliseconds. */
export function decodeRow(declaration: Declaration, row: Record<string, unknown>): StoredItem {
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row)) {
    if (field === 'id') continue;
    if (field === 'body') fields[field] = declaration.body === 'json' ? parsed(value) : value;
    else if (field === 'headers') fields[field] = parsed(value);
    else if (isInstant(field)) fields[field] = instant(value);
    else fields[field] = value;
  }
  return { token: tokenIn(fields.body), id: String(row.id), fields };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function instant(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string') return value;
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : time;
}

/** How a stored row differs from the message that was sent: its body and every option that the message sets. */
export function messageDifferences(bench: Bench, message: Message, row: StoredItem, written: Written): Difference[] {
  const differences: Difference[] = [];
  if (!sameJson(message.body, row.fields.body))
    differences.push({ field: 'body', expected: message.body, found: row.fields.body });
  for (const option of offeredOptions(bench)) {
    if (message[option] === undefined) continue;
    const field = storedAs[option];
    const found = row.fields[field];
    const expected = expectedValue(message, option, written);
    if (!matches(expected, found, bench.declaration.timeResolution))
      differences.push({ field: option, expected: shown(expected), found });
  }
  if (!bench.declaration.offers.includes('columns')) return differences;
  for (const [column, expected] of Object.entries(message.columns ?? {})) {
    const found = row.fields[column];
    if (!sameJson(expected, found)) differences.push({ field: `column ${column}`, expected, found });
  }
  return differences;
}

/** An instant that has to lie between two, since only the subject knows when exactly it looked at its clock. */
interface Window {
  from: number;
  to: number;
}

function expectedValue(message: Message, option: MetadataOption, written: Written): unknown {
  const value = message[option];
  if (option !== 'delay' && option !== 'expiration') return value;
  return { from: written.startedAt + (value as number), to: written.settledAt + (value as number) } satisfies Window;
}

function matches(expected: unknown, found: unknown, resolution: number): boolean {
  if (!isWindow(expected)) return sameJson(expected, found);
  return typeof found === 'number' && found >= expected.from - resolution && found <= expected.to + resolution;
}

function isWindow(value: unknown): value is Window {
  return value !== null && typeof value === 'object' && 'from' in value && 'to' in value;
}

function shown(expected: unknown): unknown {
  return isWindow(expected)
    ? `${new Date(expected.from).toISOString()} to ${new Date(expected.to).toISOString()}`
    : expected;
}

/**
 * How stored rows differ, slot by slot, from others that were written at another time; the ids aside, instants as offsets
 * from the start of their calls.
 */
export function rowDifferences(
  bench: Bench,
  found: readonly StoredBy[],
  expected: readonly StoredBy[],
): Difference[][] {
  return found.map((row, slot) => {
    const other = expected[slot]!;
    const fields = new Set([...Object.keys(row.row.fields), ...Object.keys(other.row.fields)]);
    return [...fields]
      .filter((field) => !alike(field, row, other, bench.declaration.timeResolution))
      .map((field) => ({ field, expected: other.row.fields[field], found: row.row.fields[field] }));
  });
}

function alike(field: string, a: StoredBy, b: StoredBy, resolution: number): boolean {
  const [left, right] = [a.row.fields[field], b.row.fields[field]];
  if (!isInstant(field) || typeof left !== 'number' || typeof right !== 'number') return sameJson(left, right);
  // Each call may have read its clock at any moment between its begin and its end.
  const slack = Math.max(a.by.settledAt - a.by.startedAt, b.by.settledAt - b.by.startedAt) + 2 * resolution;
  return Math.abs(left - a.by.startedAt - (right - b.by.startedAt)) <= slack;
}
