import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { advanceOutcome, putSchedules, slotResult, windowResult } from '../calls.ts';
import { Model, type ModelWindowResult } from '../model.ts';
import { newSchedule } from '../pool.ts';
import type { Schedule, Slot, Window } from '../port.ts';
import { emptyState, withStamp } from '../state.ts';
import { expecting } from '../writes.ts';
import { type Call, type Scenario, scheduleOf, takenSlots, windowOf } from './scenario.ts';
import { mustEqualModel } from './told.ts';

/** A call that was played: how the model saw it. */
export interface Played {
  call: Call;
  window: Window;
  expected: ModelWindowResult;
}

/**
 * Plays a scenario on an empty namespace, by the subject and by the model: after each call they must agree. `played`
 * hears of every call that they agreed on.
 */
export async function playByModel(bench: Bench, scenario: Scenario, played: (step: Played) => void): Promise<void> {
  const rig = await bench.openEmpty();
  const id = `${bench.token()}-schedule`;
  const model = new Model(emptyState(bench), bench.declaration.timeResolution);
  await prepare(bench, rig, { scenario, taken: takenSlots(bench, scenario), id }, model);
  let before = await mustEqualModel(bench, rig, model, 'before the first call', undefined);
  for (const [order, call] of scenario.calls.entries()) {
    const cursor = before.schedules[0]?.cursor ?? null;
    const window = windowOf(bench, scenario, call, { schedule: id, cursor, order });
    // What is stored now is known; of what the model expected some things were left open.
    const next = new Model(before, bench.declaration.timeResolution);
    const name = { window: 'the window', single: 'the single slot', advance: 'advance' }[call.by];
    const what = scenario.calls.length === 1 ? name : `${name} (call ${order + 1} of ${scenario.calls.length})`;
    const { expected, found } = await make(bench, rig, next, { call, window, what });
    played({ call, window, expected });
    before = found;
  }
}

/** Takes slots by the subject's own calls, and puts the schedule where a scenario wants it; the model follows. */
export async function prepare(
  bench: Bench,
  rig: Rig,
  { scenario, taken, id }: { scenario: Scenario; taken: readonly Slot[]; id: string },
  model?: Model,
): Promise<void> {
  const put = async (schedule: Schedule) => {
    await putSchedules(rig, [schedule]);
    model?.putSchedules([schedule]);
  };
  for (const slot of taken) {
    const schedule = { ...newSchedule(id), cursor: slot.at };
    await put(schedule);
    const single = { ...expecting(schedule), auditLevel: 'none', now: slot.at, slot };
    const { came, stamp } = await withStamp(bench, single.now, () => slotResult(rig, single));
    if (typeof came.outcome !== 'object')
      throw new Violation(`the free slot ${slot.at} of an active schedule is told as ${came.outcome}`);
    model?.materialize(single, stamp);
  }
  if (scenario.schedule.status !== 'missing') await put(scheduleOf(bench, scenario, id));
}

interface Making {
  call: Call;
  window: Window;
  what: string;
}

/** Makes a call, and fails the guard unless it came to what the model says. */
async function make(bench: Bench, rig: Rig, model: Model, { call, window, what }: Making) {
  const { slots, ...common } = window;
  const [slot] = slots;
  const stamped = <T>(make: () => Promise<T>) => withStamp(bench, window.now, make);
  if (call.by === 'window') {
    const { came: told, stamp } = await stamped(() => windowResult(bench, rig, window));
    const expected = model.materializeWindow(window, stamp);
    return { expected, found: await mustEqualModel(bench, rig, model, what, { slots, expected, told }) };
  }
  if (call.by === 'single') {
    const single = { ...common, slot: slot! };
    const { came, stamp } = await stamped(() => slotResult(rig, single));
    const { outcome, ...standing } = model.materialize(single, stamp);
    const expected = { outcomes: [outcome], ...standing };
    const told = { ...came, outcomes: [came.outcome] };
    return { expected, found: await mustEqualModel(bench, rig, model, what, { slots, expected, told }) };
  }
  const advance = { ...common, next: slot!.next };
  const { came, stamp } = await stamped(() => advanceOutcome(rig, advance));
  const outcome = model.advance(advance, stamp);
  if (came !== outcome) throw new Violation(`${what} is told as ${came}, expected ${outcome}`);
  const found = await mustEqualModel(bench, rig, model, what, undefined);
  return { expected: { outcomes: [], cursor: null, runs: null }, found };
}
