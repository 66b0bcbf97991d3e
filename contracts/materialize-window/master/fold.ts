import { type Bench, type Guard, guard, type Rig } from '../../kernel/guard.ts';
import { windowResult } from '../calls.ts';
import { shownInstant } from '../instants.ts';
import type { ModelOutcome, ScheduleState, State } from '../model.ts';
import type { Slot, WindowResult } from '../port.ts';
import { bySingles } from '../rows/paths.ts';
import { readState } from '../state.ts';
import { listedWindows, recordWindow, windowKinds } from './listed.ts';
import { prepare } from './play.ts';
import { type Scenario, scenarios, takenSlots, windowOf } from './scenario.ts';
import { mustEqual, type Told } from './told.ts';

export const equalsTheFoldOfSingles: Guard = guard({
  id: 'materialize-window/equals-the-fold-of-singles',
  statement:
    "The bulk member tells and leaves what the subject's own single members do for another schedule, one slot after the other.",
  needs: ['bulk'],
  proves: ['scenarios', ...windowKinds],
  async check(bench) {
    // Of no slots nothing is told by the single members.
    await bench.each('listed', listedWindows(1), (scenario) => compare(bench, scenario));
    await bench.property('generated', scenarios(bench, ['window'], 1), (scenario) => compare(bench, scenario));
  },
});

/** Plays a scenario on two schedules that stand alike: one is served slot by slot, the other by the bulk member. */
async function compare(bench: Bench, scenario: Scenario): Promise<void> {
  const rig = await bench.openEmpty();
  const name = `${bench.token()}-schedule`;
  const [singly, together] = [`${name}-singly`, `${name}-together`];
  const taken = takenSlots(bench, scenario);
  for (const id of [singly, together]) await prepare(bench, rig, { scenario, taken, id });
  for (const [order, call] of scenario.calls.entries()) {
    const { cursor = null } = (await stateOf(bench, rig, singly)).schedules[0] ?? {};
    const window = windowOf(bench, scenario, call, { schedule: singly, cursor, order });
    const single = asExpected(bench, window.slots, await bySingles(rig, window));
    const told = await windowResult(bench, rig, { ...window, schedule: together });
    mustEqual(bench, {
      what: 'the bulk member, compared with the single ones',
      expected: await stateOf(bench, rig, singly),
      found: await stateOf(bench, rig, together),
      call: { slots: window.slots, expected: single, told },
    });
    recordWindow(bench, { call, window, expected: single });
  }
  bench.record('scenarios', 1);
}

/** What is stored of one schedule, without what the two ways need not have in common: its name, and when it was. */
async function stateOf(bench: Bench, rig: Rig, id: string): Promise<State> {
  const { schedules, children, audits } = await readState(bench, rig);
  const own = <T extends { schedule: string }>(rows: readonly T[]) =>
    rows
      .filter(({ schedule }) => schedule === id)
      .map((row) => ({ ...row, schedule: 'the schedule', createdAt: null }));
  return {
    schedules: schedules.filter((schedule) => schedule.id === id).map(withoutStamp),
    children: own(children),
    audits: audits && own(audits),
  };
}

function withoutStamp(schedule: ScheduleState): ScheduleState {
  return { ...schedule, id: 'the schedule', lastRunAt: [null] };
}

/** What the single members told, as that which the bulk member has to tell: of its own children. */
function asExpected(
  { declaration }: Bench,
  slots: readonly Slot[],
  { outcomes, cursor, runs }: WindowResult,
): Told['expected'] & { outcomes: ModelOutcome[] } {
  return {
    outcomes: slots.map((_, slot): ModelOutcome => {
      const outcome = outcomes[slot]!;
      return typeof outcome === 'string' ? outcome : { created: undefined };
    }),
    cursor: cursor === null ? null : (shownInstant(cursor, declaration.timeResolution) ?? null),
    runs,
  };
}
