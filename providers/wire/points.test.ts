import { once } from 'node:events';
import { createConnection } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Point } from '../../contracts/kernel/engine.ts';
import { client } from './fixtures/messages.ts';
import { RawClient } from './fixtures/raw-client.ts';
import { startTestServer, type TestServer } from './fixtures/server.ts';
import { type Armed, cutting, holding, openTap, type Tap } from './index.ts';

let server: TestServer;
let direct: pg.Client;
let tap: Tap;
let c: pg.Client;

const own = { user: 'postgres', database: 'postgres' };
const { parse, bind, execute, sync, query, copyData, copyDone } = client;

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

/** The traces of what was done while the work went on. */
async function traces(work: () => Promise<unknown>): Promise<string[]> {
  const recording = tap.record();
  await work();
  return (await recording.stop()).interference.map(({ text, connection }) => `#${connection ?? '-'} ${text}`);
}

/** Does the work with an interference that cuts at the point; whether it went off. */
async function isCut(point: Point, work: () => Promise<unknown>): Promise<boolean> {
  const armed = tap.interfere(point, cutting);
  await endOf(work());
  armed.disarm();
  return hasSprung(armed);
}

describe('no commit', () => {
  it.each([
    ['a read', () => c.query('SELECT 1')],
    ['a read with parameters', () => c.query('SELECT $1::int', [1])],
    ['a setting', () => c.query('SET application_name = x')],
    ['a transaction that is begun', () => c.query(`BEGIN; ${insert}`)],
    ['a transaction that is rolled back', () => c.query(`BEGIN; ${insert}; ROLLBACK`)],
    ['a transaction that has only read', () => c.query('BEGIN; SELECT 1; COMMIT')],
    ['a write inside a transaction', () => c.query('BEGIN').then(() => c.query(insert))],
    ['a statement that is prepared only', () => c.query(`PREPARE a AS ${insert}`)],
    ['a commit of nothing', () => c.query('COMMIT')],
  ])('%s', async (_, work) => {
    expect(await isCut({ commit: 'before-sent' }, work)).toBe(false);
    await c.query('ROLLBACK');
    expect(await isCut({ commit: 'before-ack' }, work)).toBe(false);
    await c.query('SELECT 1');
  });

  it('one that the server refuses is not acknowledged: its error is handed on, and the next one is met', async () => {
    await c.query('ALTER TABLE t ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED; INSERT INTO t VALUES (7)');
    await c.query('ALTER TABLE t DROP CONSTRAINT t_pkey');
    const armed = tap.interfere({ commit: 'before-ack' }, cutting);
    await c.query('BEGIN; INSERT INTO t VALUES (7)');
    expect(await endOf(c.query('COMMIT'))).toBe('23505');
    await c.query('BEGIN; INSERT INTO t VALUES (8)');
    await endOf(c.query('SELECT 1/0'));
    expect((await c.query('COMMIT')).command).toBe('ROLLBACK');
    expect(hasSprung(armed)).toBe(false);
    expect(await endOf(c.query('INSERT INTO t VALUES (9)'))).toBe('ECONNRESET');
    expect(await stored()).toEqual([7, 9]);
  });
});

describe('a commit that the text alone does not show', () => {
  it('is a SELECT that calls a function that may write, once its name is known', async () => {
    await direct.query("CREATE OR REPLACE FUNCTION put(int) RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES ($1)'");
    expect(await isCut({ commit: 'before-sent' }, () => c.query('SELECT put(1)'))).toBe(false);
    tap.knowFunctions(['put']);
    expect(await isCut({ commit: 'before-sent' }, () => c.query('SELECT put(2)'))).toBe(true);
    expect(await stored()).toEqual([1]);
  });

  it('can be met by its text', async () => {
    expect(await isCut({ matching: 'put(3)' }, () => c.query('SELECT put(3)'))).toBe(true);
  });
});

it('a transaction that was begun before anything was armed has a commit', async () => {
  await c.query('BEGIN');
  await c.query(insert);
  expect(await isCut({ commit: 'before-sent' }, () => c.query('COMMIT'))).toBe(true);
  while ((await sessions()) > 0);
  expect(await stored()).toEqual([]);
});

describe('before a statement', () => {
  it('the n-th since arming, over all connections', async () => {
    await c.query('SELECT 0');
    const other = await connect(tap);
    const armed = tap.interfere({ statement: 3 }, cutting);
    await c.query('SELECT 1');
    await other.query('SELECT 2');
    expect(await endOf(other.query('SELECT 3'))).toBe('ECONNRESET');
    await c.query('SELECT 4');
    expect(hasSprung(armed)).toBe(true);
  });

  it('one with a text, however it is sent; what passed since arming is counted', async () => {
    await c.query({ name: 'put', text: 'INSERT INTO t VALUES ($1)', values: [1] });
    const armed = tap.interfere({ matching: 'INTO t' }, cutting);
    const select = client.query('SELECT 1').length;
    await c.query('SELECT 1');
    expect(await endOf(c.query({ name: 'put', text: 'INSERT INTO t VALUES ($1)', values: [2] }))).toBe('ECONNRESET');
    expect(armed.passed!.up).toBeGreaterThanOrEqual(select);
    expect(armed.passed!.down).toBeGreaterThan(0);
    expect(await stored()).toEqual([1]);
  });

  it('goes off once, is disarmed, and is told in the recordings', async () => {
    const told = await traces(async () => {
      const unused = tap.interfere({ statement: 1 }, cutting);
      unused.disarm();
      await c.query('SELECT 1');
      tap.interfere({ matching: 'SELECT 2' }, cutting);
      expect(await endOf(c.query('SELECT 2'))).toBe('ECONNRESET');
      c = await connect(tap);
      await c.query('SELECT 2');
    });
    expect(told).toEqual(['#1 cut before "SELECT 2" was sent']);
  });

  it('a hold keeps others out of it, and what is let go of goes on in order', async () => {
    const released = Promise.withResolvers<void>();
    const other = await connect(tap);
    const told = await traces(async () => {
      const armed = tap.interfere({ statement: 1 }, holding('held', released.promise));
      const held = c.query('SELECT 1 AS one');
      await armed.reached;
      expect((await other.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
      released.resolve();
      expect((await held).rows).toEqual([{ one: 1 }]);
    });
    expect(told).toEqual(['#1 held before "SELECT 1 AS one" was sent', '#1 let go of what was held']);
    await other.end();
  });
});

describe('messages that are sent ahead', () => {
  const ask = (text: string): Buffer[] => [parse(text), bind(), execute()];
  const all = [...ask('BEGIN'), sync, ...ask(insert), sync, ...ask('COMMIT'), sync];

  it('the commit of a pipeline is found without waiting for any answer', async () => {
    const raw = await RawClient.open(tap);
    const armed = tap.interfere({ commit: 'before-sent' }, cutting);
    raw.send(...all);
    await armed.reached;
    await expect(raw.until('C')).rejects.toThrow();
    while ((await sessions()) > 1);
    expect(await stored()).toEqual([]);
  });

  it('the answers before that to the commit are handed back, and nothing of its own', async () => {
    const raw = await RawClient.open(tap);
    const released = Promise.withResolvers<void>();
    const armed = tap.interfere({ commit: 'before-ack' }, holding('held', released.promise));
    raw.send(...all);
    expect(await raw.until('Z')).toBe('12CZ');
    expect(await raw.until('Z')).toBe('12CZ');
    await armed.reached;
    expect(await stored()).toEqual([1]);
    const rest = raw.until('Z');
    expect(await Promise.race([rest, direct.query('SELECT 1').then(() => 'nothing')])).toBe('nothing');
    released.resolve();
    expect(await rest).toBe('12CZ');
    await raw.close();
  });

  it('a write and a read up to one Sync are one commit, which is held before the write', async () => {
    const raw = await RawClient.open(tap);
    const armed = tap.interfere({ commit: 'before-sent' }, cutting);
    raw.send(...ask('SELECT 1'), ...ask(insert), ...ask('SELECT 2'), sync);
    await armed.reached;
    while ((await sessions()) > 1);
    expect(await stored()).toEqual([]);
  });
});

describe('COPY', () => {
  const copy = async (raw: RawClient): Promise<void> => {
    raw.send(query('COPY t FROM STDIN'));
    await raw.until('G');
    raw.send(copyData('1\n'), copyData('2\n'));
    raw.send(copyDone);
  };

  it('is cut before any of it is sent', async () => {
    const raw = await RawClient.open(tap);
    expect(await isCut({ commit: 'before-sent' }, () => copy(raw))).toBe(true);
    while ((await sessions()) > 1);
    expect(await stored()).toEqual([]);
  });

  it.each(['after-sent', 'before-ack'] as const)('is cut %s when all its data have been sent', async (commit) => {
    const raw = await RawClient.open(tap);
    const armed = tap.interfere({ commit }, cutting);
    await copy(raw);
    await armed.reached;
    await expect(raw.until('Z')).rejects.toThrow();
    while ((await sessions()) > 1);
    expect(await stored()).toEqual([1, 2]);
  });

  it('by the extended protocol ends with the Sync after its data', async () => {
    const raw = await RawClient.open(tap);
    const armed = tap.interfere({ commit: 'before-ack' }, cutting);
    raw.send(parse('COPY t FROM STDIN'), bind(), execute(), sync);
    expect(await raw.until('G')).toBe('12G');
    raw.send(copyData('1\n'), copyDone, sync);
    await armed.reached;
    await expect(raw.until('C')).rejects.toThrow();
    expect(await stored()).toEqual([1]);
  });
});

it('a long query is cut after its last byte has been sent', async () => {
  const armed = tap.interfere({ commit: 'after-sent' }, cutting);
  const text = `INSERT INTO t SELECT length('${'x'.repeat(3_000_000)}')`;
  expect(await endOf(c.query(String(text)))).toBe('ECONNRESET');
  expect(armed.passed!.up).toBe(text.length + 6);
  while ((await sessions()) > 0);
  expect(await stored()).toEqual([3_000_000]);
});

describe('quiet', () => {
  it('says so at once when nothing is open', async () => {
    const words = 'its connection has no statement or transaction open';
    expect(await tap.quiet(60_000)).toEqual({ words, stirred: false });
    await c.end();
    while ((await sessions()) > 0);
    expect(await tap.quiet(60_000)).toEqual({ words: 'the subject has no connection', stirred: false });
  });

  it('waits for statements, transactions, and what the server does for a client that has gone', async () => {
    await direct.query('BEGIN; LOCK TABLE t');
    const waiting = endOf(c.query(insert));
    const blocked = async (): Promise<boolean> =>
      (await direct.query("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'")).rows.length > 0;
    while (!(await blocked()));
    (c as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    await waiting;
    expect((await tap.quiet(20)).words).toBe('after 0.02 s connection 1 still has a statement running');
    const quiet = tap.quiet(60_000);
    await direct.query('COMMIT');
    expect(await quiet).toMatchObject({ stirred: true });
    // Nobody was there any more to hear of it.
    expect(await stored()).toEqual([1]);
  });

  it('waits for a connection that is being made', async () => {
    const socket = createConnection(tap.port, tap.host);
    await once(socket, 'connect');
    expect((await tap.quiet(20)).words).toBe('after 0.02 s 1 connection still being made');
    const quiet = tap.quiet(60_000);
    socket.destroy();
    expect(await quiet).toMatchObject({ words: 'its connection has no statement or transaction open' });
  });

  it('gives up where a transaction stays open, or something is held', async () => {
    await c.query('BEGIN');
    expect((await tap.quiet(20)).words).toBe('after 0.02 s connection 1 still has a transaction open');
    await c.query('ROLLBACK');
    const released = Promise.withResolvers<void>();
    const armed = tap.interfere({ statement: 1 }, holding('held', released.promise));
    const held = c.query('SELECT 1');
    await armed.reached;
    expect((await tap.quiet(20)).words).toBe('after 0.02 s connection 1 still has a statement held');
    released.resolve();
    await held;
  });
});

describe('commits', () => {
  it.each([
    ['a transaction', 1, 'BEGIN; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); COMMIT'],
    ['statements of their own', 2, 'INSERT INTO t VALUES (1)', 'INSERT INTO t VALUES (2)'],
    ['a simple query of several', 1, 'INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)'],
    ['reads', 0, 'SELECT 1', 'BEGIN; SELECT 1; COMMIT'],
    ['what is rolled back', 0, 'BEGIN; INSERT INTO t VALUES (1); ROLLBACK'],
    [
      'what has failed',
      0,
      'INSERT INTO t VALUES (1); SELECT 1/0',
      'BEGIN; INSERT INTO t VALUES (1); SELECT 1/0',
      'COMMIT',
    ],
    ['what is open still', 0, 'BEGIN; INSERT INTO t VALUES (1)'],
    ['no rows', 0, 'DELETE FROM t'],
    [
      'a savepoint rolled back',
      1,
      'BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a; DELETE FROM t; ROLLBACK TO a; COMMIT',
    ],
    ['a table that is made', 1, 'CREATE TEMPORARY TABLE u ()'],
  ])('of %s: %i', async (_, commits, ...texts) => {
    const recording = tap.record();
    for (const text of texts.map(String)) await endOf(c.query(text));
    expect((await recording.stop()).commits).toBe(commits);
  });

  it('a pipeline up to its Sync is one', async () => {
    const raw = await RawClient.open(tap);
    const recording = tap.record();
    const put = (id: number): Buffer[] => [parse(`INSERT INTO t VALUES (${id})`), bind(), execute()];
    raw.send(...put(1), ...put(2), sync, ...put(3), sync);
    await raw.until('Z');
    await raw.until('Z');
    expect((await recording.stop()).commits).toBe(2);
    await raw.close();
  });
});
