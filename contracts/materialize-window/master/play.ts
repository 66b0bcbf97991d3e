import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { advanceOutcome, putSchedules, slotResult, windowResult } from '../calls.ts';
import { Model, type ModelWindowResult, type State } from '../model.ts';
import { newSchedule } from '../pool.ts';
import type { Window } from '../port.ts';
import { emptyState, withStamp } from '../state.ts';
import { type Call, type Scenario, scheduleOf, takenSlots, windowOf } from './scenario.ts';
import { mustEqualModel } from './told.ts';

/** A call that was played: how the model saw it. */
export interface Played {
  call: Call;
  window: Window;
  /** What was stored before it. */
  before: State;
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
  await prepare(bench, rig, scenario, id, model);
  let before = await mustEqualModel(bench, rig, model, 'before the first call', undefined);
  for (const [order, call] of scenario.calls.entries()) {
    const cursor = before.schedules[0]?.cursor ?? null;
    const window = windowOf(bench, scenario, call, { schedule: id, cursor, order });
    // What is stored now is known; of what the model expected some things were left open.
    const next = new Model(before, bench.declaration.timeResolution);
    const name = `${call.by === 'window' ? 'the window' : call.by === 'single' ? 'the single slot' : 'advance'}`;
    const what = scenario.calls.length === 1 ? name : `${name} (call ${order + 1} of ${scenario.calls.length})`;
    const { expected, found } = await make(bench, rig, next, { call, window, what });
    played({ call, window, before, expected });
    before = found;
  }
}

/** Takes the slots of a scenario, by the subject's own calls, and puts its schedule where it wants it. */
export async function prepare(
  bench: Bench,
  rig: Rig,
  scenario: Scenario,
  id: string,
  model: Pick<Model, 'putSchedules' | 'materialize'>,
): Promise<void> {
  for (const slot of takenSlots(bench, scenario)) {
    const schedule = { ...newSchedule(id), cursor: slot.at };
    const now = slot.at;
    const expected = {
      schedule: id,
      expectedVersion: schedule.version,
      expectedCursor: slot.at,
      auditLevel: 'none',
      now,
    };
    await putSchedules(rig, [schedule]);
    model.putSchedules([schedule]);
    const { came, stamp } = await withStamp(bench, now, () => slotResult(rig, { ...expected, slot }));
    if (typeof came.outcome !== 'object')
      throw new Violation(`the free slot ${slot.at} of an active schedule is told as ${came.outcome}`);
    model.materialize({ ...expected, slot }, stamp);
  }
  if (scenario.schedule.status === 'missing') return;
  const schedule = scheduleOf(bench, scenario, id);
  await putSchedules(rig, [schedule]);
  model.putSchedules([schedule]);
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
