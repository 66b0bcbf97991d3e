import type { ClientBase } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnswerLost } from './answer-lost.ts';
import { Database } from './database.ts';
import { startCuttingProxy } from './fixtures/cutting-proxy.ts';
import { schemaPerTest } from './fixtures/schema-per-test.ts';
import type { TestSchema } from './fixtures/server.ts';

const numbers = 'CREATE TABLE numbers (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)';

let schema: TestSchema;
let database: Database;

schemaPerTest(async (own) => {
  schema = own;
  database = await Database.open(own.site.url, numbers);
});
afterEach(() => database.close());

async function stored(): Promise<number[]> {
  const { rows } = await schema.admin.query<{ n: number }>('SELECT n FROM numbers ORDER BY n');
  return rows.map(({ n }) => n);
}

test('a transaction is undone when its work fails, and the connection serves the next', async () => {
  const first = new Error('the first error');
  const attempt = database.transaction(async (client) => {
    await client.query('INSERT INTO numbers VALUES (1)');
    throw first;
  });
  await expect(attempt).rejects.toBe(first);
  await database.transaction((client) => client.query('INSERT INTO numbers VALUES (2)'));
  expect(await stored()).toEqual([2]);
});

test('a commit of a failed transaction, which the server takes for a rollback, is a failure', async () => {
  const attempt = database.transaction(async (client) => {
    await client.query('INSERT INTO numbers VALUES (1)');
    await client.query('nonsense').catch(() => {});
  });
  await expect(attempt).rejects.toThrow('answered COMMIT with ROLLBACK');
  expect(await stored()).toEqual([]);
});

test('a commit that the server refuses is a failure', async () => {
  const attempt = database.transaction((client) => client.query('INSERT INTO numbers VALUES (1), (1)'));
  await expect(attempt).rejects.toMatchObject({ code: '23505' });
  await expect(
    database.statement((client) => client.query('INSERT INTO numbers VALUES (1), (1)')),
  ).rejects.toMatchObject({
    code: '23505',
  });
  expect(await stored()).toEqual([]);
});

test('the first error is the one to be told when the rollback fails as well', async () => {
  const first = new Error('the first error');
  const attempt = database.transaction(async (client) => {
    await client.query('INSERT INTO numbers VALUES (1)');
    await schema.endSessions();
    throw first;
  });
  await expect(attempt).rejects.toBe(first);
  await database.statement((client) => client.query('INSERT INTO numbers VALUES (2)'));
  expect(await stored()).toEqual([2]);
});

test('a connection that cannot roll back is not used again', async () => {
  const first = new Error('the first error');
  const attempt = database.transaction(async (client) => {
    await client.query('INSERT INTO numbers VALUES (1)');
    vi.spyOn(client, 'query').mockImplementationOnce(() => Promise.reject(new Error('the second error')));
    throw first;
  });
  await expect(attempt).rejects.toBe(first);
  await database.transaction((client) => client.query('INSERT INTO numbers VALUES (2)'));
  expect(await stored()).toEqual([2]);
});

test('a session that is ended under a statement fails it, and the next has another', async () => {
  const end = (client: ClientBase) => client.query('SELECT pg_terminate_backend(pg_backend_pid())');
  await expect(database.statement(end)).rejects.toMatchObject({ code: '57P01' });
  await expect(database.transaction(end)).rejects.toMatchObject({ code: '57P01' });
  await database.statement((client) => client.query('INSERT INTO numbers VALUES (1)'));
  expect(await stored()).toEqual([1]);
});

test('sessions that are ended while nobody uses them are replaced', async () => {
  await Promise.all(
    Array.from({ length: 4 }, () => database.statement((client) => client.query('SELECT pg_sleep(0.01)'))),
  );
  await schema.endSessions();
  // Until the pool has heard of it, a statement may still be given a connection that is gone.
  const insert = () => database.statement((client) => client.query('INSERT INTO numbers VALUES (1)'));
  await vi.waitFor(insert, { timeout: 30_000 });
  expect(await stored()).toEqual([1]);
});

test('an answer that is lost while the server commits is neither a success nor a failure', async () => {
  const proxy = await startCuttingProxy(schema.site.port);
  const cut = await Database.open(schema.site.url.replace(`:${schema.site.port}/`, `:${proxy.port}/`), '');
  proxy.cutAt = 'INSERT';
  await expect(cut.statement((client) => client.query('INSERT INTO numbers VALUES (1)'))).rejects.toThrow(AnswerLost);
  proxy.cutAt = 'COMMIT';
  const batch = cut.transaction((client) => client.query('INSERT INTO numbers VALUES (2)'));
  await expect(batch).rejects.toThrow(AnswerLost);
  expect(await stored()).toEqual([1, 2]);

  // Before the commit is sent, it is clear that nothing is stored.
  proxy.cutAt = 'INSERT';
  const failed = cut.transaction((client) => client.query('INSERT INTO numbers VALUES (3)'));
  await expect(failed).rejects.toThrow(/^Connection terminated/);
  expect(await stored()).toEqual([1, 2]);
  await cut.close();
  await proxy.close();
});

describe('a call that is aborted', () => {
  const insert = (client: ClientBase) => client.query('INSERT INTO numbers VALUES (1)');
  let controller: AbortController;
  let cancelled: Database;
  beforeEach(() => {
    controller = new AbortController();
    cancelled = database.within(controller.signal);
  });

  /** Resolves when that many sessions wait for a lock that the test holds. */
  function waiting(sessions: number): Promise<void> {
    const count = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`;
    return vi.waitFor(
      async () => {
        // Inside a transaction the server would tell the same again.
        await schema.admin.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await schema.admin.query<{ n: number }>(count, [schema.site.schema]);
        expect(rows[0]!.n).toBe(sessions);
      },
      { timeout: 30_000 },
    );
  }

  /** Lets the server go on, and waits until it has found the aborted connection gone. */
  async function letGo(): Promise<void> {
    await schema.admin.query('COMMIT');
    await waiting(0);
    await database.transaction((client) => client.query('LOCK TABLE numbers IN ACCESS EXCLUSIVE MODE'));
  }

  test('before it began gets no connection', async () => {
    controller.abort();
    await expect(cancelled.statement(insert)).rejects.toBe(controller.signal.reason);
    await expect(cancelled.transaction(insert)).rejects.toBe(controller.signal.reason);
    expect(await stored()).toEqual([]);
  });

  test('inside its transaction has failed, while the server still waits', async () => {
    await schema.admin.query('BEGIN; LOCK TABLE numbers');
    const call = cancelled.transaction(insert);
    await waiting(1);
    controller.abort();
    await expect(call).rejects.toBe(controller.signal.reason);
    await letGo();
    expect(await stored()).toEqual([]);
  });

  test('between the last statement and the commit has failed', async () => {
    const call = cancelled.transaction(async (client) => {
      await insert(client);
      controller.abort();
    });
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    expect(await stored()).toEqual([]);
  });

  test('in its commit is neither a success nor a failure', async () => {
    await schema.admin.query('BEGIN; INSERT INTO numbers VALUES (1)');
    // The commit waits to see what becomes of the other row that must not be there twice.
    const call = cancelled.transaction(insert);
    await waiting(1);
    controller.abort();
    await expect(call).rejects.toThrow(AnswerLost);
    await letGo();
    expect(await stored()).toEqual([1]);
  });

  test('in a statement that commits itself is neither a success nor a failure', async () => {
    await schema.admin.query('BEGIN; LOCK TABLE numbers');
    const call = cancelled.statement(insert);
    await waiting(1);
    controller.abort();
    await expect(call).rejects.toThrow(AnswerLost);
    await letGo();
  });

  test('while it waits for a connection leaves that to others', async () => {
    await schema.admin.query('BEGIN; LOCK TABLE numbers');
    const others = Array.from({ length: 4 }, () => database.statement((client) => client.query('SELECT FROM numbers')));
    await waiting(4);
    const call = cancelled.statement(insert);
    controller.abort();
    await expect(call).rejects.toBe(controller.signal.reason);
    await schema.admin.query('COMMIT');
    await Promise.all(others);
    await Promise.all(
      Array.from({ length: 5 }, () => database.statement((client) => client.query('SELECT FROM numbers'))),
    );
    expect(await stored()).toEqual([]);
  });

  test('after it has settled changes nothing', async () => {
    await cancelled.statement(insert);
    controller.abort();
    expect(await stored()).toEqual([1]);
    await database.statement((client) => client.query('SELECT FROM numbers'));
  });
});

test('what cannot be opened leaves no connection', async () => {
  await expect(Database.open(schema.site.url, 'nonsense')).rejects.toThrow('syntax error');
  await vi.waitFor(
    async () => {
      const sessions = 'SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1';
      const { rows } = await schema.admin.query<{ n: number }>(sessions, [schema.site.schema]);
      // That of the database that the test has open.
      expect(rows[0]!.n).toBe(1);
    },
    { timeout: 30_000 },
  );
});
