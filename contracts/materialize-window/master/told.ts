import { tokenIn } from '../../kernel/bodies.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { sentText, slotLines, stateDifferences } from '../differences.ts';
import { instantText, shownInstant } from '../instants.ts';
import type { Model, ModelOutcome, ModelStanding, State } from '../model.ts';
import type { Slot, SlotOutcome, Standing, WindowResult } from '../port.ts';
import { readState } from '../state.ts';

/** What a call of slots had to come to, and what it is said to have come to. */
export interface Told {
  slots: readonly Slot[];
  expected: ModelStanding & { outcomes: readonly ModelOutcome[] };
  told: WindowResult;
}

/** Fails the guard unless the call told, and left, what the model does. Returns what is stored. */
export async function mustEqualModel(
  bench: Bench,
  rig: Rig,
  model: Model,
  what: string,
  call: Told | undefined,
): Promise<State> {
  const found = await readState(bench, rig);
  mustEqual(bench, { what, expected: model.state, found, call });
  return found;
}

/** Fails the guard where what was told or what is stored differs from what is expected; the message names the first. */
export function mustEqual(
  bench: Bench,
  { what, expected, found, call }: { what: string; expected: State; found: State; call: Told | undefined },
): void {
  const stored = stateDifferences(bench, expected, found);
  const lines = call ? outcomeLines(call, found, bench.declaration.givesUp.ids === undefined) : [];
  const words = [...(call ? toldDifferences(bench, call, lines) : []), ...stored.map((difference) => difference.words)];
  const [first, ...others] = words;
  if (first === undefined) return;
  const slots = slotLines(call?.slots ?? [], stored).map((row, slot): SlotLine => {
    const line = lines[slot]!;
    if (row.mark === 'ok') return line;
    // The outcome of a slot and the row of its child are shown together.
    return { ...row, expected: `${line.expected}; ${row.expected}`, stored: `${line.stored}; ${row.stored}` };
  });
  const more = others.length > 0 ? ` (and ${count(others.length, 'differences')} more)` : '';
  throw new Violation(`${what}: ${first}${more}`, { input: `${count(slots.length, 'slots')}, ${what}`, slots });
}

/** For each slot what had to be told of it, and what was; with `ids`, of which child. */
export function outcomeLines({ slots, expected, told }: Told, found: State, ids: boolean): SlotLine[] {
  const tokens = new Map(found.children.map(({ id, token }) => [id, token]));
  return slots.map((sent, slot) => {
    const [right, is] = [expected.outcomes[slot], told.outcomes[slot]];
    const said = toldText(is, sent, tokens, ids);
    const wanted = typeof right === 'object' ? 'created' : right!;
    return { slot, mark: said === wanted ? 'ok' : 'wrong', sent: sentText(sent), expected: wanted, stored: said };
  });
}

/** An outcome in words; what is said to be created, by the child that its id names. */
function toldText(
  outcome: SlotOutcome | undefined,
  slot: Slot,
  tokens: ReadonlyMap<string | undefined, string | undefined>,
  ids: boolean,
): string {
  if (outcome === undefined) return 'no outcome';
  if (typeof outcome === 'string') return outcome;
  if (!ids) return 'created';
  const { created } = outcome;
  if (created === null) return 'created, without an id';
  if (!tokens.has(String(created))) return `created, with id ${created}, which no child has`;
  const named = tokens.get(String(created));
  const own = tokenIn(slot.child.body);
  return named === own ? 'created' : `created, with id ${created} of the child with the nonce ${named}`;
}

function toldDifferences(
  { declaration }: Bench,
  { slots, expected, told }: Told,
  lines: readonly SlotLine[],
): string[] {
  if (told.outcomes.length !== slots.length)
    return [`${count(told.outcomes.length, 'outcomes')} for ${count(slots.length, 'slots')}`];
  const wrong = lines.filter(({ mark }) => mark !== 'ok');
  const cursor = told.cursor === null ? null : shownInstant(told.cursor, declaration.timeResolution);
  return [
    ...wrong.map(({ slot, stored, expected: right }) => `slot ${slot} is told as ${stored}, expected ${right}`),
    ...(cursor === expected.cursor ? [] : [toldInstead('cursor', short(told.cursor), cursorText(expected))]),
    ...(told.runs === expected.runs ? [] : [toldInstead('runs', short(told.runs), short(expected.runs))]),
  ];
}

function toldInstead(field: keyof Standing, told: string, expected: string): string {
  return `${field} is told as ${told}, expected ${expected}`;
}

function cursorText({ cursor }: ModelStanding): string {
  return cursor === null ? 'null' : `"${instantText(cursor)}"`;
}
