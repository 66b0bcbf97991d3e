import { once } from 'node:events';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './fixtures/server.ts';
import { openTap, type Tap } from './index.ts';

let server: TestServer;
let tap: Tap;

beforeAll(async () => {
  server = await startTestServer();
  tap = await openTap({ upstream: server });
});

afterAll(async () => {
  await tap?.close();
  await server?.stop();
});

it('a library with workers of its own: only the transaction of the call is marked', async () => {
  const { host, port } = tap;
  const boss = new PgBoss({ host, port, user: 'postgres', database: 'postgres' });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('mail');
  await boss.createQueue('idle');
  await boss.work('idle', { pollingIntervalSeconds: 0.5 }, async () => {});
  const polled = Promise.withResolvers<void>();
  const recording = tap.record({
    marks: ['nonce-1', 'nonce-2'],
    between: async ({ at, statements }) => {
      if (at === 'reply' && statements > 0) polled.resolve();
    },
  });
  await polled.promise;
  await boss.insert('mail', [{ data: { nonce: 'nonce-1' } }, { data: { nonce: 'nonce-2' } }]);
  const { statements, own, transactions } = await recording.stop();
  await boss.stop({ graceful: false });
  expect(statements.filter((s) => !s.marked).length).toBeGreaterThan(0);
  const marked = statements.filter((s) => s.marked);
  expect(marked.filter((s) => s.kind === 'write')).toMatchObject([{ rows: 2, own: true }]);
  expect(new Set(marked.map((s) => s.transaction)).size).toBe(1);
  expect(own.transactions).toBeLessThanOrEqual(transactions);
});

it('a server that stops at once ends its connections, and new ones are refused', async () => {
  const { host, port } = tap;
  const c = new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
  c.on('error', () => {});
  await c.connect();
  const recording = tap.record();
  const failed = c.query('SELECT pg_sleep(60)').catch((error) => error);
  const ended = new Promise<void>((resolve) => c.once('end', resolve));
  const exited = once(server.process, 'exit');
  server.process.kill('SIGQUIT');
  await exited;
  await ended;
  expect(await failed).toBeInstanceOf(Error);
  expect((await recording.stop()).statements).toMatchObject([{ failed: expect.any(String) }]);
  const refused = new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
  await expect(refused.connect()).rejects.toMatchObject({ code: 'ECONNRESET' });
});
