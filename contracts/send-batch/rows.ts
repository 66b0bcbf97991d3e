import { tokenIn } from '../kernel/bodies.ts';
import type { Declaration, MetadataOption } from '../kernel/capabilities.ts';
import type { Bench } from '../kernel/guard.ts';
import { sameJson } from '../kernel/print.ts';
import { instant, isInstant, parsed } from '../kernel/rows.ts';
import type { Difference, StoredItem, Written } from '../kernel/writes.ts';
import { offeredOptions } from './messages.ts';
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
