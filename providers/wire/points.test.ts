import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './fixtures/server.ts';
import { type Armed, cutting, holding, openTap, type Tap } from './index.ts';

let server: TestServer;
let direct: pg.Client;
let tap: Tap;
let c: pg.Client;

const own = { user: 'postgres', database: 'postgres' };

async function connect({ host, port }: { host: string; port: number }): Promise<pg.Client> {
  const opened = new pg.Client({ ...own, host, port });
  opened.on('error', () => {});
  await opened.connect();
  return opened;
}

beforeAll(async () => {
  server = await startTestServer();
  direct = await connect(server);
});
afterAll(async () => {
  await direct?.end();
  await server?.stop();
});
beforeEach(async () => {
  tap = await openTap({ upstream: server });
  await direct.query('DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY)');
  c = await connect(tap);
});
afterEach(async () => {
  await c.end();
  await tap.close();
});

const stored = async (): Promise<number[]> =>
  (await direct.query<{ id: number }>('SELECT id FROM t ORDER BY id')).rows.map(({ id }) => id);

/** Whether the server still has a session of the tap's clients with a transaction open. */
const sessions = async (): Promise<number> => {
  const { rows } = await direct.query(
    "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  return rows.length;
};

/** How a piece of work ended: what was lost, or `done`. */
const endOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

const hasSprung = (armed: Armed): boolean => armed.passed !== undefined;
const insert = 'INSERT INTO t VALUES (1)';

/** Ways to commit one row. */
const ways: Record<string, () => Promise<unknown>> = {
  'an explicit transaction': async () => {
    await c.query('BEGIN');
    await c.query(insert);
    await c.query('COMMIT');
  },
  'a simple query of its own': () => c.query(insert),
  'a simple query of several statements': () => c.query(`BEGIN; SELECT 1; ${insert}; COMMIT`),
  'an implicit transaction of a simple query': () => c.query(`SELECT 1; ${insert}`),
  'an extended query': () => c.query('INSERT INTO t VALUES ($1)', [1]),
  'an extended query that returns rows': () => c.query('INSERT INTO t VALUES ($1) RETURNING id', [1]),
  'a prepared statement': () => c.query({ name: 'put', text: 'INSERT INTO t VALUES ($1)', values: [1] }),
  'a WITH that writes': () => c.query('WITH put AS (INSERT INTO t VALUES (1) RETURNING id) SELECT * FROM put'),
};

describe.each(Object.entries(ways))('round the commit of %s', (_, write) => {
  it('cut before it is sent: the server has nothing', async () => {
    const armed = tap.interfere({ commit: 'before-sent' }, cutting);
    expect(await endOf(write())).toBe('ECONNRESET');
    await armed.reached;
    expect(hasSprung(armed)).toBe(true);
    while ((await sessions()) > 0);
    expect(await stored()).toEqual([]);
  });

  it.each(['after-sent', 'before-ack'] as const)('cut %s: the server has carried it out', async (commit) => {
    const armed = tap.interfere({ commit }, cutting);
    expect(await endOf(write())).toBe('ECONNRESET');
    expect(hasSprung(armed)).toBe(true);
    while ((await sessions()) > 0);
    expect(await stored()).toEqual([1]);
  });

  it.each(['before-sent', 'after-sent', 'before-ack'] as const)(
    'held %s, then let go of: as if not',
    async (commit) => {
      const released = Promise.withResolvers<void>();
      const armed = tap.interfere({ commit }, holding('held', released.promise));
      let settled = false;
      const writing = endOf(write()).finally(() => {
        settled = true;
      });
      await armed.reached;
      if (commit === 'before-sent') expect(await stored()).toEqual([]);
      else while ((await stored()).length === 0);
      expect(settled).toBe(false);
      armed.disarm();
      released.resolve();
      expect(await writing).toBe('done');
      expect(await stored()).toEqual([1]);
      expect((await c.query('SELECT id FROM t')).rows).toEqual([{ id: 1 }]);
    },
  );

  it('held before it is sent and given up: the server never gets it', async () => {
    const released = Promise.withResolvers<void>();
    const armed = tap.interfere({ commit: 'before-sent' }, holding('held', released.promise));
    const writing = endOf(write());
    await armed.reached;
    const socket = (c as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
    socket.destroy();
    expect(await writing).not.toBe('done');
    while ((await sessions()) > 0);
    released.resolve();
    expect(await stored()).toEqual([]);
  });
});
