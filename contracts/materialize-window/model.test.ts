import { describe, expect, test } from 'vitest';
import { Model, type ScheduleState, type Stamp, type State } from './model.ts';
import type { Expected, Schedule, Slot } from './port.ts';

// 2031-03-03T04:00:00Z is 1,930,276,800 seconds after 1970.
const four = 1_930_276_800_000_000n;
const minute = 60_000_000n;
const stamp = 1_700_000_000_000_000n;
const at = (minutes: number) => `2031-03-03T04:0${minutes}:00Z`;

const schedule: Schedule = { id: 'daily', status: 'active', version: 3, cursor: at(0), runs: 5, error: 'late' };
const expected: Expected = {
  schedule: 'daily',
  expectedVersion: 3,
  expectedCursor: at(0),
  auditLevel: 'full',
  now: '2023-11-14T22:13:20Z',
};

function slot(minutes: number, next: number | null = minutes + 1): Slot {
  return { at: at(minutes), next: next === null ? null : at(next), child: { body: `ct0x1-${minutes}` } };
}

/** A model with this schedule, and children at these minutes whose slots were taken before. */
function model({
  taken = [],
  resolution = 1,
  ...put
}: Partial<Schedule> & { taken?: number[]; resolution?: number } = {}) {
  const state: State = {
    schedules: [],
    children: taken.map((minutes) => ({
      ...{ token: undefined, schedule: 'daily', slotAt: four + BigInt(minutes) * minute, body: 'earlier' },
      ...{ dueAt: null, expiresAt: null, route: null, priority: null, createdAt: 1n },
    })),
    audits: [],
  };
  const made = new Model(state, resolution);
  made.putSchedules([{ ...schedule, ...put }]);
  return made;
}

const parent = ({ state }: Model): ScheduleState => state.schedules[0]!;
const created = ({ state }: Model) =>
  state.children.filter(({ token }) => token !== undefined).map(({ slotAt }) => slotAt);
const audits = ({ state }: Model) => state.audits!.map(({ event, slotAt }) => [event, slotAt]);

describe('a window', () => {
  test('creates its slots, goes to the last next, counts each run', () => {
    const m = model();
    expect(m.materializeWindow({ ...expected, slots: [slot(0), slot(1)] }, stamp)).toEqual({
      outcomes: [{ created: 'ct0x1-0' }, { created: 'ct0x1-1' }],
      cursor: four + 2n * minute,
      runs: 7,
    });
    expect(created(m)).toEqual([four, four + minute]);
    expect(parent(m)).toMatchObject({ status: 'active', version: 3, error: 'late', lastRunAt: [null, stamp, stamp] });
    expect(audits(m)).toEqual([
      ['created', four],
      ['created', four + minute],
    ]);
  });

  test('goes past a slot that is taken, without a run and without an audit row', () => {
    const m = model({ taken: [1] });
    expect(m.materializeWindow({ ...expected, slots: [slot(0), slot(1), slot(2)] }, stamp)).toEqual({
      outcomes: [{ created: 'ct0x1-0' }, 'already-exists', { created: 'ct0x1-2' }],
      cursor: four + 3n * minute,
      runs: 7,
    });
    expect(audits(m)).toEqual([
      ['created', four],
      ['created', four + 2n * minute],
    ]);
  });

  test('whose slots are all taken moves the cursor, and neither counts nor stamps', () => {
    const m = model({ taken: [0, 1], runs: null });
    expect(m.materializeWindow({ ...expected, slots: [slot(0), slot(1)] }, stamp)).toEqual({
      outcomes: ['already-exists', 'already-exists'],
      cursor: four + 2n * minute,
      runs: null,
    });
    expect(parent(m).lastRunAt).toEqual([null]);
  });

  test('takes a slot that need not be at the cursor, and a gap', () => {
    const { outcomes, cursor } = model().materializeWindow({ ...expected, slots: [slot(3, 4), slot(7, 8)] }, stamp);
    expect(outcomes).toEqual([{ created: 'ct0x1-3' }, { created: 'ct0x1-7' }]);
    expect(cursor).toBe(four + 8n * minute);
  });

  test('has its slots in the order of the caller', () => {
    const { outcomes, cursor } = model().materializeWindow({ ...expected, slots: [slot(5), slot(2)] }, stamp);
    expect(outcomes).toEqual([{ created: 'ct0x1-5' }, { created: 'ct0x1-2' }]);
    expect(cursor).toBe(four + 3n * minute);
  });

  test('creates the first of two equal slots', () => {
    const twin = { ...slot(0), child: { body: 'ct0x1-9' } };
    const m = model();
    expect(m.materializeWindow({ ...expected, slots: [slot(0), twin] }, stamp)).toMatchObject({
      outcomes: [{ created: 'ct0x1-0' }, 'already-exists'],
      runs: 6,
    });
    expect(created(m)).toEqual([four]);
  });

  test('completes the schedule where there is no next, and what comes after is inactive', () => {
    const m = model();
    expect(m.materializeWindow({ ...expected, slots: [slot(0), slot(1, null), slot(2)] }, stamp)).toEqual({
      outcomes: [{ created: 'ct0x1-0' }, { created: 'ct0x1-1' }, 'parent-inactive'],
      cursor: null,
      runs: 7,
    });
    expect(parent(m)).toEqual({
      ...{ id: 'daily', status: 'completed', version: 3, cursor: null, runs: 7, error: null, lastRunAt: [stamp] },
    });
    expect(audits(m).at(-1)).toEqual(['completed', null]);
  });

  test('completes the schedule past a last slot that is taken, and spends no run', () => {
    const m = model({ taken: [0] });
    expect(m.materializeWindow({ ...expected, slots: [slot(0, null)] }, stamp)).toEqual({
      outcomes: ['already-exists'],
      cursor: null,
      runs: 5,
    });
    expect(parent(m)).toMatchObject({ status: 'completed', error: null, lastRunAt: [stamp] });
    expect(audits(m)).toEqual([['completed', null]]);
  });

  test('of no slots leaves everything as it is', () => {
    const m = model();
    expect(m.materializeWindow({ ...expected, slots: [] }, stamp)).toEqual({ outcomes: [], cursor: four, runs: 5 });
    expect(parent(m).lastRunAt).toEqual([null]);
  });

  test('makes children of what the caller owns', () => {
    const m = model();
    const child = { body: 'ct0x1-0', delay: 1500, expiration: 60_000, route: 'north', priority: -2 };
    m.materializeWindow({ ...expected, slots: [{ ...slot(0), child }] }, stamp);
    expect(m.state.children).toEqual([
      {
        ...{ token: 'ct0x1-0', schedule: 'daily', slotAt: four, body: 'ct0x1-0', createdAt: stamp },
        ...{ dueAt: four + 1_500_000n, expiresAt: four + minute, route: 'north', priority: -2 },
      },
    ]);
  });
});

describe('runs', () => {
  test.each([
    [null, 1],
    [0, 1],
    [2_147_483_646, 2_147_483_647],
    [2_147_483_647, 2_147_483_647],
  ])('%s and one more are %s', (runs, after) => {
    expect(model({ runs }).materialize({ ...expected, slot: slot(0) }, stamp).runs).toBe(after);
  });

  test('stay at their maximum in the middle of a window', () => {
    const window = { ...expected, slots: [slot(0), slot(1), slot(2)] };
    expect(model({ runs: 2_147_483_646 }).materializeWindow(window, stamp).runs).toBe(2_147_483_647);
  });
});

describe('what is expected', () => {
  test.each<[string, Partial<Schedule>, Partial<Expected>, string]>([
    ['missing', {}, { schedule: 'other' }, 'parent-inactive'],
    ['cancelled', { status: 'cancelled' }, {}, 'parent-inactive'],
    ['completed', { status: 'completed' }, {}, 'parent-inactive'],
    ['without a cursor', { cursor: null }, { expectedCursor: null }, 'parent-inactive'],
    ['of another version', {}, { expectedVersion: 2 }, 'version-mismatch'],
    ['elsewhere', {}, { expectedCursor: at(1) }, 'cursor-moved'],
    ['expected to have no cursor', {}, { expectedCursor: null }, 'cursor-moved'],
    ['cancelled and of another version', { status: 'cancelled' }, { expectedVersion: 2 }, 'parent-inactive'],
    ['of another version and elsewhere', {}, { expectedVersion: 2, expectedCursor: at(1) }, 'version-mismatch'],
  ])('a schedule that is %s', (_name, put, wrong, outcome) => {
    const m = model({ ...put, taken: [1] });
    const before = structuredClone(m.state);
    const call = { ...expected, ...wrong };
    expect(m.materializeWindow({ ...call, slots: [slot(0), slot(1)] }, stamp).outcomes).toEqual([outcome, outcome]);
    expect(m.materialize({ ...call, slot: slot(1) }, stamp).outcome).toBe(outcome);
    expect(m.advance({ ...call, next: at(1) }, stamp)).toBe(outcome);
    expect(m.state).toEqual(before);
  });

  test('of a schedule that is not there is told as null', () => {
    const result = model().materialize({ ...expected, schedule: 'other', slot: slot(0) }, stamp);
    expect(result).toEqual({ outcome: 'parent-inactive', cursor: null, runs: null });
  });

  test('is the same instant with another offset', () => {
    const call = { ...expected, expectedCursor: '2031-03-03T05:30:00+01:30', slot: slot(0) };
    expect(model().materialize(call, stamp).outcome).toEqual({ created: 'ct0x1-0' });
  });

  test('is compared at the resolution', () => {
    const call = { ...expected, expectedCursor: '2031-03-03T04:00:00.0009Z', slot: slot(0) };
    expect(model().materialize(call, stamp).outcome).toEqual({ created: 'ct0x1-0' });
    expect(model({ resolution: 0.001 }).materialize(call, stamp).outcome).toBe('cursor-moved');
  });
});

test('slots that become equal at the resolution are one', () => {
  const slots = ['2031-03-03T04:00:00.0001Z', '2031-03-03T04:00:00.0002Z'].map((text) => ({ ...slot(0), at: text }));
  const outcomes = (resolution: number) =>
    model({ resolution }).materializeWindow({ ...expected, slots }, stamp).outcomes;
  expect(outcomes(1)).toEqual([{ created: 'ct0x1-0' }, 'already-exists']);
  expect(outcomes(0.1)).toEqual([{ created: 'ct0x1-0' }, { created: 'ct0x1-0' }]);
});

test('a single slot that is taken leaves the schedule as it is', () => {
  const m = model({ taken: [0] });
  const before = structuredClone(m.state);
  const single = { ...expected, slot: slot(0, null) };
  expect(m.materialize(single, stamp)).toEqual({ outcome: 'already-exists', cursor: four, runs: 5 });
  expect(m.state).toEqual(before);
});

describe('advance', () => {
  test('moves only the cursor', () => {
    const m = model();
    const before = structuredClone(m.state);
    expect(m.advance({ ...expected, next: at(4) }, stamp)).toBe('advanced');
    before.schedules[0]!.cursor = four + 4n * minute;
    expect(m.state).toEqual(before);
  });

  test('without a next completes the schedule', () => {
    const m = model();
    expect(m.advance({ ...expected, next: null }, stamp)).toBe('advanced');
    expect(parent(m)).toMatchObject({ status: 'completed', cursor: null, error: null, runs: 5, lastRunAt: [stamp] });
    expect(audits(m)).toEqual([['completed', null]]);
  });
});

test.each([
  ['full', ['created', 'completed']],
  ['minimal', ['completed']],
  ['errors-only', []],
  ['none', []],
  ['toString', ['created', 'completed']],
])('the level %s asks for %j', (auditLevel, events) => {
  const m = model();
  m.materializeWindow({ ...expected, auditLevel, slots: [slot(0, null)] }, stamp);
  expect(m.state.audits!.map(({ event }) => event)).toEqual(events);
});

test('where no audit is kept nothing is entered', () => {
  const m = new Model({ ...model().state, audits: null }, 1);
  m.materializeWindow({ ...expected, slots: [slot(0, null)] }, stamp);
  expect(m.state.audits).toBeNull();
});

describe('a schedule that is put again', () => {
  test('is what it is given as, and keeps its children', () => {
    const m = model();
    m.materializeWindow({ ...expected, slots: [slot(0, null)] }, stamp);
    m.putSchedules([{ ...schedule, version: 4, cursor: at(1) }]);
    expect(parent(m)).toMatchObject({ status: 'active', version: 4, cursor: four + minute, runs: 5, error: 'late' });
    expect(created(m)).toEqual([four]);
    const again = { ...expected, expectedVersion: 4, expectedCursor: at(1), slot: slot(0) };
    expect(m.materialize(again, stamp).outcome).toBe('already-exists');
  });

  test('may keep the stamp of its last run', () => {
    const m = model();
    const span: Stamp = { from: 1n, to: 2n };
    m.advance({ ...expected, next: null }, span);
    m.putSchedules([schedule]);
    expect(parent(m).lastRunAt).toEqual([null, span]);
  });
});

test('slots of another schedule are free, and the given state is not touched', () => {
  const first = model({ taken: [0] });
  const m = new Model(first.state, 1);
  m.putSchedules([{ ...schedule, id: 'other' }]);
  expect(m.materialize({ ...expected, schedule: 'other', slot: slot(0) }, stamp).outcome).toEqual({
    created: 'ct0x1-0',
  });
  expect(first.state.schedules).toHaveLength(1);
  expect(first.state.children).toHaveLength(1);
});
