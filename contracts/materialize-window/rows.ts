import { tokenIn } from '../kernel/bodies.ts';
import type { Declaration } from '../kernel/capabilities.ts';
import type { Bench } from '../kernel/guard.ts';
import { sameJson } from '../kernel/print.ts';
import { instant, isInstant, parsed } from '../kernel/rows.ts';
import type { Difference, StoredItem } from '../kernel/writes.ts';
import type { Slot } from './port.ts';
import { offeredOptions } from './slots.ts';

/** A child of the probe as the guards compare it: the id as text, JSON parsed, instants as epoch milliseconds. */
export function decodeChild(declaration: Declaration, row: Record<string, unknown>): StoredItem {
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row)) {
    if (field === 'id') continue;
    if (field === 'body') fields[field] = declaration.body === 'json' ? parsed(value) : value;
    else fields[field] = isInstant(field) ? instant(value) : value;
  }
  return { token: tokenIn(fields.body), id: String(row.id), fields };
}

/** How a stored child differs from the slot that it was made for. */
export function slotDifferences(bench: Bench, { at, child }: Slot, { fields }: StoredItem): Difference[] {
  const slotAt = Date.parse(at);
  const after = (milliseconds: number | undefined) => (milliseconds === undefined ? undefined : slotAt + milliseconds);
  const expected: [field: string, stored: string, value: unknown][] = [
    ['at', 'slotAt', slotAt],
    ['body', 'body', child.body],
    ...offeredOptions(bench).map((option): [string, string, unknown] => {
      if (option === 'delay') return [option, 'dueAt', after(child.delay)];
      if (option === 'expiration') return [option, 'expiresAt', after(child.expiration)];
      return [option, option, child[option]];
    }),
  ];
  return expected.flatMap(([field, stored, value]) => {
    const found = fields[stored];
    return value === undefined || sameJson(value, found) ? [] : [{ field, expected: value, found }];
  });
}
