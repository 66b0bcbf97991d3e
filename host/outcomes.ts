import { slotLosses } from '../contracts/materialize-window/port.ts';
import { failureOf } from './failure.ts';
import type { MemberShape } from './port-shapes.ts';
import { print } from './print.ts';

/** What a subject returned in the place of an outcome, when it is none. */
export interface Malformed {
  malformed: string;
}

/** Brings what a member returned into the form that the judge reads: ids as text, errors as failures. */
export function normalise(returns: MemberShape['returns'], value: unknown): unknown {
  if (returns === 'value') return value;
  if (returns === 'outcome') return normaliseOutcome(value);
  if (returns === 'slot') return withSlots(value, 'outcome', normaliseSlot);
  if (returns === 'window') return withSlots(value, 'outcomes', (list) => listOf(list, normaliseSlot));
  return listOf(value, normaliseOutcome);
}

/** What is no list stays as it is: the judge can tell. */
function listOf(value: unknown, each: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? Array.from(value, (item) => each(item)) : value;
}

/** The result of a window or of a slot, with what it says of slots as the judge reads it. */
function withSlots(value: unknown, field: 'outcome' | 'outcomes', read: (said: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || !(field in value)) return value;
  return { ...value, [field]: read((value as Record<string, unknown>)[field]) };
}

function normaliseSlot(value: unknown): unknown {
  if ((slotLosses as readonly unknown[]).includes(value)) return value;
  try {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'created')) return malformed(value);
    const { created } = value as { created: unknown };
    if (!isId(created) && created !== null) return malformed(value);
    return { created: created === null ? null : String(created) };
  } catch {
    return malformed(value);
  }
}

/** An outcome has exactly one of these fields; what else it carries, such as `about`, is kept. */
const kinds = ['stored', 'duplicate', 'failed', 'unknown'] as const;

function normaliseOutcome(value: unknown): unknown {
  try {
    if (typeof value !== 'object' || value === null) return malformed(value);
    const [kind, another] = kinds.filter((k) => Object.hasOwn(value, k));
    if (kind === undefined || another !== undefined) return malformed(value);
    const content = (value as Record<string, unknown>)[kind];
    if (kind === 'failed' || kind === 'unknown') {
      // A failure tells why: without an error it says no more than an id that is undefined.
      return content === undefined || content === null ? malformed(value) : { ...value, [kind]: failureOf(content) };
    }
    if (!isId(content) && content !== null) return malformed(value);
    return { ...value, [kind]: content === null ? null : String(content) };
  } catch {
    return malformed(value);
  }
}

function malformed(value: unknown): Malformed {
  return { malformed: print(value) };
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'bigint' || Number.isFinite(value);
}
