import { tokenIn } from '../kernel/bodies.ts';
import type { Offer } from '../kernel/capabilities.ts';
import type { SlotLine, SlotMark } from '../kernel/counterexample.ts';
import { type Bench, type Rig, Violation } from '../kernel/guard.ts';
import { count, sameJson, short } from '../kernel/print.ts';
import { instantText } from './instants.ts';
import type { AuditState, ChildState, ScheduleState, Stamp, State } from './model.ts';
import type { Slot } from './port.ts';
import { readState, storedAs } from './state.ts';

/** One thing in which what is stored is not what it has to be. */
export interface StateDifference {
  /** In words, for a message. */
  words: string;
  /** Where it is about a child: its nonce, and how it fared. */
  child?: { token: string | undefined; mark: SlotMark; expected: string; found: string };
}

/** Fails the guard unless the state is stored; `slots` are shown beside what became of their children. */
export async function mustHaveState(
  bench: Bench,
  rig: Rig,
  expected: State,
  what: string,
  slots: readonly Slot[] = [],
): Promise<State> {
  const found = await readState(bench, rig);
  const [first, ...others] = stateDifferences(bench, expected, found);
  if (!first) return found;
  const more = others.length > 0 ? ` (and ${count(others.length, 'differences')} more)` : '';
  throw new Violation(`${what}: ${first.words}${more}`, {
    input: `${count(slots.length, 'slots')}, ${what}`,
    slots: slotLines(slots, [first, ...others]),
  });
}

/** How what is stored differs from what has to be: children by their nonce, the audit whatever its order. */
export function stateDifferences(bench: Bench, expected: State, found: State): StateDifference[] {
  return [
    ...childDifferences(bench, expected.children, found.children),
    ...scheduleDifferences(expected.schedules, found.schedules).map((words) => ({ words })),
    ...auditDifferences(expected.audits ?? [], found.audits ?? []).map((words) => ({ words })),
  ];
}

/** For each slot what had to become of its child, and what is stored. */
export function slotLines(slots: readonly Slot[], differences: readonly StateDifference[]): SlotLine[] {
  return slots.map((sent, slot) => {
    const token = tokenIn(sent.child.body);
    const child = differences.find((difference) => difference.child && difference.child.token === token)?.child;
    const line = { slot, sent: sentText(sent) };
    if (!child) return { ...line, mark: 'ok', expected: 'as it has to be', stored: 'as it has to be' };
    return { ...line, mark: child.mark, expected: child.expected, stored: child.found };
  });
}

function childDifferences(
  bench: Bench,
  expected: readonly ChildState[],
  found: readonly ChildState[],
): StateDifference[] {
  const [had, have] = [Map.groupBy(expected, nonce), Map.groupBy(found, nonce)];
  const nonces = new Set([...had.keys(), ...have.keys()]);
  return [...nonces].flatMap((key): StateDifference[] => {
    const [right, is] = [had.get(key) ?? [], have.get(key) ?? []];
    const { token, schedule, slotAt } = (right[0] ?? is[0])!;
    const name = `the child of slot ${instantText(slotAt)} under ${schedule} (nonce ${token})`;
    if (right.length !== is.length) {
      const mark = is.length === 0 ? 'lost' : right.length === 0 ? 'torn' : 'duplicated';
      const rows = { expected: rowsText(right.length), found: rowsText(is.length) };
      const words = `of ${name} ${rows.found} ${is.length > 1 ? 'are' : 'is'} stored, expected ${rows.expected}`;
      return [{ words, child: { token, mark, ...rows } }];
    }
    return right.flatMap((child, i) =>
      fieldDifferences(bench, child, is[i]!).map((difference) => ({
        words: `${difference.field} of ${name} is ${difference.found}, expected ${difference.expected}`,
        child: {
          token,
          mark: 'changed',
          expected: `${difference.field} ${difference.expected}`,
          found: `${difference.field} ${difference.found}`,
        },
      })),
    );
  });
}

/** By its nonce; a child that has none by its slot. */
function nonce({ token, schedule, slotAt }: ChildState): string {
  return token ?? `${schedule} ${slotAt}`;
}

interface FieldDifference {
  field: string;
  expected: string;
  found: string;
}

function fieldDifferences({ declaration }: Bench, expected: ChildState, found: ChildState): FieldDifference[] {
  const optional = Object.entries(storedAs).filter(([option]) => declaration.offers.includes(option as Offer));
  const fields = ['schedule', 'slotAt', 'body', ...optional.map(([, field]) => field)] as (keyof ChildState)[];
  const differences = fields
    .filter((field) => !sameJson(expected[field], found[field]))
    .map((field) => ({ field, expected: valueText(expected[field]), found: valueText(found[field]) }));
  const [stamp, stamped] = [expected.createdAt, found.createdAt];
  if (stamp !== undefined && stamped !== undefined && !isStamp(stamp, stamped))
    differences.push({ field: 'createdAt', expected: stampText(stamp), found: stampText(stamped) });
  return differences;
}

/** In words, how schedules differ from what they have to be. */
export function scheduleDifferences(expected: readonly ScheduleState[], found: readonly ScheduleState[]): string[] {
  const left = new Map(found.map((schedule) => [schedule.id, schedule]));
  const differences = expected.flatMap((schedule) => {
    const is = left.get(schedule.id);
    left.delete(schedule.id);
    if (!is) return [`schedule ${schedule.id} is not there`];
    const fields = (['status', 'version', 'cursor', 'runs', 'error'] as const)
      .filter((field) => schedule[field] !== is[field])
      .map((field) => ({ field: `${field}`, expected: valueText(schedule[field]), found: valueText(is[field]) }));
    const stamp = is.lastRunAt[0] ?? null;
    if (!schedule.lastRunAt.some((right) => isStamp(right, stamp))) {
      const right = [...new Set(schedule.lastRunAt.map(stampText))].join(' or ');
      fields.push({ field: 'lastRunAt', expected: right, found: stampText(stamp) });
    }
    return fields.map((f) => `${f.field} of schedule ${schedule.id} is ${f.found}, expected ${f.expected}`);
  });
  return [...differences, ...[...left.keys()].map((id) => `schedule ${id} is there, although nobody put it`)];
}

function auditDifferences(expected: readonly AuditState[], found: readonly AuditState[]): string[] {
  const [had, have] = [Map.groupBy(expected, auditName), Map.groupBy(found, auditName)];
  return [...new Set([...had.keys(), ...have.keys()])].flatMap((name) => {
    const [right, is] = [had.get(name) ?? [], [...(have.get(name) ?? [])]];
    if (right.length !== is.length)
      return [`the audit has ${rowsText(is.length)} of ${name}, expected ${rowsText(right.length)}`];
    return right.flatMap(({ createdAt }) => {
      const match = is.findIndex((row) => isStamp(createdAt, row.createdAt));
      const [row] = is.splice(Math.max(0, match), 1);
      if (match >= 0) return [];
      return [`createdAt of the audit's ${name} is ${stampText(row!.createdAt)}, expected ${stampText(createdAt)}`];
    });
  });
}

function auditName({ schedule, event, slotAt }: AuditState): string {
  return `"${event}" ${slotAt === null ? '' : `of slot ${instantText(slotAt)} `}under ${schedule}`;
}

/** Whether what is stored is a stamp that is right. */
export function isStamp(right: Stamp, stored: Stamp): boolean {
  if (right === null || typeof right === 'bigint') return right === stored;
  return typeof stored === 'bigint' && stored >= right.from && stored <= right.to;
}

/** An instant as text; of a stamp all that is known of it. */
export function stampText(stamp: Stamp): string {
  if (stamp === null) return 'null';
  if (typeof stamp === 'bigint') return instantText(stamp);
  return `between ${instantText(stamp.from)} and ${instantText(stamp.to)}`;
}

function valueText(value: unknown): string {
  return typeof value === 'bigint' ? instantText(value) : short(value);
}

function rowsText(rows: number): string {
  return rows === 0 ? 'nothing' : count(rows, 'rows');
}

/** A slot on one short line. */
export function sentText({ at, next, child }: Slot): string {
  return `${at} -> ${next ?? 'the end'}: ${short(child, 40)}`;
}
