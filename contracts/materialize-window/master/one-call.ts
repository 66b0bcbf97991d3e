import { premise } from '../../kernel/checks.ts';
import { type Bench, Violation } from '../../kernel/guard.ts';
import { slotResult, windowResult } from '../calls.ts';
import { Model, type State } from '../model.ts';
import type { Slot } from '../port.ts';
import { readState } from '../state.ts';
import { prepare } from './play.ts';
import { type Scenario, takenSlots, windowOf } from './scenario.ts';
import { outcomeLines, type Told } from './told.ts';

/** What came of a call, and which outcomes it had to have. */
export interface Came extends Told {
  found: State;
}

/** Makes the only call of a scenario on an empty namespace; `change` may change its slots before. */
export async function oneCall(
  bench: Bench,
  scenario: Scenario,
  change: (slots: readonly Slot[]) => readonly Slot[] = (slots) => slots,
): Promise<Came> {
  const rig = await bench.openEmpty();
  const id = `${bench.token()}-schedule`;
  await premise('what has to be there before the call', () =>
    prepare(bench, rig, { scenario, taken: takenSlots(bench, scenario), id }),
  );
  const before = await readState(bench, rig);
  const [call] = scenario.calls as [Scenario['calls'][number]];
  const made = windowOf(bench, scenario, call, { schedule: id, cursor: before.schedules[0]!.cursor, order: 0 });
  const window = { ...made, slots: change(made.slots) };
  const { slots, ...common } = window;
  const expected = new Model(before, bench.declaration.timeResolution).materializeWindow(window, null);
  if (call.by === 'window') {
    const told = await windowResult(bench, rig, window);
    return { slots, expected, told, found: await readState(bench, rig) };
  }
  const { outcome, ...standing } = await slotResult(rig, { ...common, slot: slots[0]! });
  return { slots, expected, told: { ...standing, outcomes: [outcome] }, found: await readState(bench, rig) };
}

/** Fails the guard unless each outcome is the one that its slot has to have; which child it names is compared by one guard alone. */
export function mustTellEach(bench: Bench, came: Came, what: string, compared: 'with ids' | 'kinds alone'): void {
  const { slots, told } = came;
  const ids = compared === 'with ids' && bench.declaration.givesUp.ids === undefined;
  const lines = outcomeLines(came, came.found, ids);
  const wrong = lines.filter(({ mark }) => mark !== 'ok');
  if (wrong.length === 0 && told.outcomes.length === slots.length) return;
  const [first] = wrong;
  const words =
    told.outcomes.length === slots.length
      ? `${wrong.length} of ${slots.length} outcomes are wrong`
      : `${told.outcomes.length} outcomes for ${slots.length} slots`;
  const example = first && `; slot ${first.slot} is told as ${first.stored}, expected ${first.expected}`;
  throw new Violation(`${what}: ${words}${example ?? ''}`, { input: what, slots: lines });
}
