import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MaterializeWindowPort, PostgresSite, Schedule, Slot, Window } from '../../index.ts';
import { openPort, variantsOf } from '../fixtures/open-variant.ts';
import { startCuttingProxy } from './fixtures/cutting-proxy.ts';
import { schemaPerTest } from './fixtures/schema-per-test.ts';
import type { TestSchema } from './fixtures/server.ts';
import backend from './index.ts';
import { isoSql, windowStatements } from './window-schema.ts';

let schema: TestSchema;
let admin: Client;
let opened: MaterializeWindowPort[] = [];

schemaPerTest((own) => {
  schema = own;
  admin = own.admin;
});
afterEach(async () => {
  for (const port of opened) await port.close!();
  opened = [];
});

async function open(variant: string, site: PostgresSite = schema.site): Promise<Required<MaterializeWindowPort>> {
  const port = (await openPort(backend, variant, 'materialize-window', site)) as Required<MaterializeWindowPort>;
  opened.push(port);
  return port;
}

const hour = (n: number) => `2031-01-01T${String(n).padStart(2, '0')}:00:00.000000Z`;
const active: Schedule = { id: 's', status: 'active', version: 3, cursor: hour(0), runs: 5, error: 'old' };
const now = '2030-06-07T08:09:10.123456Z';
const expected = { schedule: 's', expectedVersion: 3, expectedCursor: hour(0), auditLevel: 'full', now };

/** The slots of some hours; each leads to the next hour. */
function slots(...hours: number[]): Slot[] {
  return hours.map((n) => ({ at: hour(n), next: hour(n + 1), child: { body: `hour ${n}` } }));
}

function window(...hours: number[]): Window {
  return { ...expected, slots: slots(...hours) };
}

type Row = Record<string, unknown>;

async function read(statement: 'rows' | 'schedules' | 'audits'): Promise<Row[]> {
  return (await admin.query<Row>(windowStatements[statement])).rows;
}

/** The stored bodies by id. */
async function bodies(): Promise<Record<string, unknown>> {
  return Object.fromEntries((await read('rows')).map(({ id, body }) => [id, JSON.parse(body as string)]));
}

/** What became of each slot: the body of the child that it names, or why there is none. */
async function told(outcomes: readonly unknown[]): Promise<unknown[]> {
  const stored = await bodies();
  return outcomes.map((outcome) =>
    typeof outcome === 'object' ? stored[String((outcome as { created: unknown }).created)] : outcome,
  );
}

async function sessionsWaiting(count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      // Inside a transaction the server would tell the same again.
      await admin.query('SELECT pg_stat_clear_snapshot()');
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`;
      expect((await admin.query(waiting, [schema.site.schema])).rowCount).toBe(count);
    },
    { timeout: 30_000 },
  );
}

/** Makes the call while another session has the statement open, ends that when the call waits, and resolves to the call. */
async function whileWaiting<T>(
  statement: string,
  values: unknown[],
  call: () => T,
  end = 'COMMIT',
): Promise<Awaited<T>> {
  await admin.query('BEGIN');
  await admin.query(statement, values);
  const calling = Promise.resolve(call());
  await sessionsWaiting(1);
  await admin.query(end);
  return calling;
}

describe.each(variantsOf(backend, 'materialize-window'))('%s', (variant) => {
  let port: Required<MaterializeWindowPort>;
  beforeEach(async () => {
    port = await open(variant);
    await port.putSchedules([active, { ...active, id: 'other' }]);
  });

  test('stores each child with what is its own, and names it in its place', async () => {
    const child = { body: { a: [1] }, delay: 7, expiration: 3_600_001, route: 'r\\\t"', priority: -4 };
    const [first, second] = slots(0, 2);
    const result = await port.materializeWindow({ ...expected, slots: [second!, { ...first!, child }] }, {});
    expect(result).toEqual({ outcomes: Array(2).fill({ created: expect.any(String) }), cursor: hour(1), runs: 7 });
    expect(await told(result.outcomes)).toEqual(['hour 2', { a: [1] }]);
    const found = (await read('rows')).find(({ slotAt }) => slotAt === hour(0));
    expect(found).toEqual({
      id: expect.any(String),
      schedule: 's',
      slotAt: hour(0),
      body: '{"a":[1]}',
      dueAt: '2031-01-01T00:00:00.007000Z',
      expiresAt: '2031-01-01T01:00:00.001000Z',
      route: 'r\\\t"',
      priority: '-4',
      status: 'waiting',
      attempts: 0,
      createdAt: variant === 'procedure' ? expect.any(String) : now,
    });
  });

  test('two callers with overlapping windows in opposite orders: one writes, the other is told that the cursor moved', async () => {
    const other = await open(variant);
    const lock = 'SELECT FROM schedules WHERE id = $1 FOR UPDATE';
    await admin.query('BEGIN');
    await admin.query(lock, ['s']);
    const calls = [port.materializeWindow(window(0, 1, 2, 3), {}), other.materializeWindow(window(4, 3, 2, 1), {})];
    await sessionsWaiting(2);
    await admin.query('COMMIT');
    const results = await Promise.all(calls);
    const outcomes = await Promise.all(results.map((result) => told(result.outcomes)));
    const lost = Array(4).fill('cursor-moved');
    if (outcomes[0]![0] === 'cursor-moved') expect(outcomes).toEqual([lost, ['hour 4', 'hour 3', 'hour 2', 'hour 1']]);
    else expect(outcomes).toEqual([['hour 0', 'hour 1', 'hour 2', 'hour 3'], lost]);
    expect(new Set(results.map(({ cursor }) => cursor)).size).toBe(1);
    expect(results.map(({ runs }) => runs)).toEqual([9, 9]);
    expect(await read('audits')).toHaveLength(4);
  });

  test('a cancel that is committed while the call waits wins', async () => {
    const before = await read('schedules');
    const call = () => port.materializeWindow(window(0, 1), {});
    const result = await whileWaiting(windowStatements.cancel, ['s'], call);
    expect(result.outcomes).toEqual(['parent-inactive', 'parent-inactive']);
    expect([await read('rows'), await read('audits')]).toEqual([[], []]);
    expect(await read('schedules')).toEqual(
      expect.arrayContaining(before.map((row) => (row.id === 's' ? { ...row, status: 'cancelled' } : row))),
    );
  });

  test('a change that it does not mind keeps the call waiting and is kept', async () => {
    const change = `UPDATE schedules SET runs = 40, error = 'new' WHERE id = $1`;
    const result = await whileWaiting(change, ['s'], () => port.materializeWindow(window(0, 1), {}));
    expect([await told(result.outcomes), result.cursor, result.runs]).toEqual([['hour 0', 'hour 1'], hour(2), 42]);
    const stored = (await read('schedules')).find(({ id }) => id === 's');
    expect(stored).toMatchObject({ cursor: hour(2), runs: 42, error: 'new', status: 'active' });
  });

  test.each([
    ['COMMIT', 'already-exists', 6],
    ['ROLLBACK', 'hour 1', 7],
  ])('a slot that another session has written, and ends by %s, is %s', async (end, second, runs) => {
    const call = () => port.materializeWindow(window(0, 1), {});
    const result = await whileWaiting(windowStatements.addChild, ['s', hour(1)], call, end);
    expect([await told(result.outcomes), result.cursor, result.runs]).toEqual([['hour 0', second], hour(2), runs]);
    expect(await read('audits')).toHaveLength(runs - 5);
  });

  test('a child that comes while the call waits for the schedule is seen', async () => {
    await admin.query('BEGIN');
    await admin.query('SELECT FROM schedules WHERE id = $1 FOR UPDATE', ['s']);
    const calling = port.materializeWindow(window(0, 1), {});
    await sessionsWaiting(1);
    await admin.query(windowStatements.addChild, ['s', hour(0)]);
    await admin.query('COMMIT');
    expect(await told((await calling).outcomes)).toEqual(['already-exists', 'hour 1']);
  });

  test('of two slots that are one instant, in microseconds and in whatever offset, the first is created', async () => {
    const at = (instant: string, body: string): Slot => ({ at: instant, next: hour(1), child: { body } });
    const result = await port.materializeWindow(
      {
        ...expected,
        expectedCursor: '2031-01-01T05:30+05:30',
        slots: [
          at('2031-01-01T05:30:00.000001+0530', 'first'),
          at('2031-01-01T00:00:00.000001Z', 'twin'),
          at('2030-12-31T19:00:00.0000012-05:00', 'nearly'),
          at('2031-01-01T00:00:00.000002Z', 'next'),
        ],
      },
      {},
    );
    expect(await told(result.outcomes)).toEqual(['first', 'already-exists', 'already-exists', 'next']);
    expect((await read('rows')).map(({ slotAt }) => slotAt).sort()).toEqual([
      '2031-01-01T00:00:00.000001Z',
      '2031-01-01T00:00:00.000002Z',
    ]);
    expect(result.runs).toBe(7);
  });

  test.each([
    [2 ** 31 - 2, 2 ** 31 - 1],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [null, 2],
  ])('from %s runs on it counts to %s', async (runs, after) => {
    await port.putSchedules([{ ...active, runs }]);
    expect(await port.materializeWindow(window(0, 1), {})).toMatchObject({ cursor: hour(2), runs: after });
    expect((await read('schedules')).find(({ id }) => id === 's')!.runs).toBe(after);
  });

  test('the end of the grid completes the schedule even if it is taken, and slots after it are lost', async () => {
    await admin.query(windowStatements.addChild, ['s', hour(1)]);
    const [first, last, beyond] = slots(0, 1, 2);
    const toTheEnd = { ...expected, auditLevel: 'minimal', slots: [first!, { ...last!, next: null }, beyond!] };
    const result = await port.materializeWindow(toTheEnd, {});
    expect([await told(result.outcomes), result.cursor, result.runs]).toEqual([
      ['hour 0', 'already-exists', 'parent-inactive'],
      null,
      6,
    ]);
    const stored = (await read('schedules')).find(({ id }) => id === 's')!;
    expect(stored).toMatchObject({ status: 'completed', cursor: null, runs: 6, error: null, version: '3' });
    const stamp = stored.lastRunAt;
    if (variant !== 'procedure') expect(stamp).toBe(now);
    expect(await read('audits')).toEqual([{ schedule: 's', event: 'completed', slotAt: null, createdAt: stamp }]);
  });

  test('the single member leaves the schedule of a taken slot as it is, and advance moves it', async () => {
    await admin.query(windowStatements.addChild, ['s', hour(0)]);
    const before = await read('schedules');
    const [slot] = slots(0);
    for (const next of [hour(1), null]) {
      const single = await port.materialize({ ...expected, slot: { ...slot!, next } }, {});
      expect(single).toEqual({ outcome: 'already-exists', cursor: hour(0), runs: 5 });
      expect(await read('schedules')).toEqual(before);
    }
    expect(await port.advance({ ...expected, next: hour(1) }, {})).toBe('advanced');
    expect(await port.advance({ ...expected, next: hour(2) }, {})).toBe('cursor-moved');
    const moved = { cursor: hour(1), runs: 5, error: 'old', lastRunAt: null };
    expect((await read('schedules')).find(({ id }) => id === 's')).toMatchObject(moved);
    expect([await read('rows'), await read('audits')]).toEqual([[expect.anything()], []]);
  });

  test('reasons come in the order parent, version, cursor', async () => {
    const wrong = { ...window(0), expectedVersion: 4, expectedCursor: null };
    const losses = async (call: Window) => (await port.materializeWindow(call, {})).outcomes;
    expect(await losses({ ...wrong, schedule: 'nobody' })).toEqual(['parent-inactive']);
    expect(await losses(wrong)).toEqual(['version-mismatch']);
    expect(await losses({ ...wrong, expectedVersion: 3 })).toEqual(['cursor-moved']);
    await port.putSchedules([{ ...active, cursor: null }]);
    expect(await losses(wrong)).toEqual(['parent-inactive']);
  });

  test('an empty window tells how the schedule stands', async () => {
    expect(await port.materializeWindow(window(), {})).toEqual({ outcomes: [], cursor: hour(0), runs: 5 });
    const nobody = { ...window(), schedule: 'nobody' };
    expect(await port.materializeWindow(nobody, {})).toEqual({ outcomes: [], cursor: null, runs: null });
  });

  test('tells a lost answer from a failure', async () => {
    const proxy = await startCuttingProxy(schema.site.port);
    const url = schema.site.url.replace(`:${schema.site.port}/`, `:${proxy.port}/`);
    const behindProxy = await open(variant, { ...schema.site, url });
    proxy.cutAt = variant === 'unnest' || variant === 'procedure' ? 'hour 0' : 'COMMIT\0';
    const lost = expect.objectContaining({ name: 'AnswerLost', unknown: true });
    await expect(behindProxy.materializeWindow(window(0), {})).rejects.toEqual(lost);
    expect(await read('rows')).toHaveLength(1);
    await proxy.close();
  });
});

test('procedure stamps by the clock of the database, once it has the lock', async () => {
  const port = await open('procedure');
  await port.putSchedules([active]);
  await admin.query('BEGIN');
  await admin.query('SELECT FROM schedules WHERE id = $1 FOR UPDATE', ['s']);
  const calling = port.materializeWindow(window(0, 1), {});
  await sessionsWaiting(1);
  const { rows } = await admin.query<{ now: string }>(`SELECT ${isoSql('clock_timestamp()')} AS now`);
  await admin.query('COMMIT');
  await calling;
  const [stored, audits] = [await read('rows'), await read('audits')];
  const stamps = new Set([...stored, ...audits].map(({ createdAt }) => createdAt as string));
  stamps.add((await read('schedules'))[0]!.lastRunAt as string);
  expect(stamps.size).toBe(1);
  expect([...stamps][0]! > rows[0]!.now).toBe(true);
});

test('optimistic claims a schedule that has become what the caller expects while it looked for his loss', async () => {
  const port = await open('optimistic');
  await port.putSchedules([{ ...active, version: 2 }]);
  const query = Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...args) {
    const { name } = args[0] as { name?: string };
    if (name === 'read-loss') await query.call(admin, 'UPDATE schedules SET version = 3');
    return query.apply(this, args) as never;
  });
  try {
    expect(await told((await port.materializeWindow(window(0), {})).outcomes)).toEqual(['hour 0']);
  } finally {
    spy.mockRestore();
  }
});

test('two sessions can put the same schedules in opposite orders', async () => {
  const [one, other] = [await open('unnest'), await open('loop')];
  const many = Array.from({ length: 300 }, (_, i): Schedule => ({ ...active, id: `s${i}` }));
  await one.putSchedules(many);
  await admin.query('BEGIN');
  await admin.query(`UPDATE schedules SET runs = 6 WHERE id = 's150'`);
  const putting = [one.putSchedules(many), other.putSchedules(many.toReversed())];
  await sessionsWaiting(2);
  await admin.query('COMMIT');
  await Promise.all(putting);
  expect(await read('schedules')).toHaveLength(300);
});
