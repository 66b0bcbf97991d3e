import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from './fixtures/certificate.ts';
import { client, packet } from './fixtures/messages.ts';
import { RawClient } from './fixtures/raw-client.ts';
import { startTestServer, type TestServer } from './fixtures/server.ts';
import { openTap, type Tap } from './index.ts';

const password = 'a secret';
const { key, cert } = selfSigned();
const trusted = { ca: cert, servername: 'localhost' };

let server: TestServer;
const taps: Tap[] = [];

async function tapOn(tls?: object): Promise<Tap> {
  const { host, port } = server;
  const tap = await openTap({ upstream: { host, port, ...(tls && { tls }) } });
  taps.push(tap);
  return tap;
}

function as(user: string, { host, port }: Tap, options: pg.ClientConfig = {}): pg.Client {
  return new pg.Client({ host, port, user, password, database: 'postgres', ...options });
}

beforeAll(async () => {
  // The role joe has to give its password, over TLS or without; postgres is let in without one.
  server = await startTestServer({
    'postgresql.auto.conf': 'ssl = on',
    'server.key': key,
    'server.crt': cert,
    'pg_hba.conf': 'host all joe 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n',
  });
  const direct = as('postgres', { ...server } as unknown as Tap);
  await direct.connect();
  await direct.query(`CREATE ROLE joe LOGIN PASSWORD '${password}'`);
  await direct.end();
});

afterAll(async () => {
  for (const tap of taps) await tap.close();
  await server?.stop();
});

const overTls = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

describe.each([
  ['without TLS', undefined],
  ['with TLS between tap and server', trusted],
])('a password exchange %s', (_, tls) => {
  it('passes through', async () => {
    const c = as('joe', await tapOn(tls));
    await c.connect();
    expect((await c.query(overTls)).rows).toEqual([{ ssl: tls !== undefined }]);
    await c.end();
  });

  it('fails for a wrong password, in the words of the server', async () => {
    const c = as('joe', await tapOn(tls), { password: 'wrong' });
    await expect(c.connect()).rejects.toMatchObject({ code: '28P01' });
  });

  it('is never offered with channel binding, since the client has no TLS', async () => {
    const asked = await RawClient.connect(await tapOn(tls));
    asked.send(packet(196608, 'user', 'joe', Buffer.alloc(1)));
    const { type, body } = await asked.next();
    expect([type, body.subarray(4).toString()]).toEqual(['R', 'SCRAM-SHA-256\0\0']);
    asked.socket.destroy();
  });
});

it('a cancel request goes over TLS too', async () => {
  const tap = await tapOn(trusted);
  const c = as('joe', tap);
  await c.connect();
  const running = Promise.withResolvers<void>();
  const recording = tap.record({
    between: async ({ at }) => {
      if (at === 'running') running.resolve();
    },
  });
  const ended = c.query('SELECT pg_sleep(60)').catch((error) => error);
  await running.promise;
  const { processID, secretKey } = c as unknown as { processID: number; secretKey: number };
  const keyData = Buffer.alloc(8);
  keyData.writeInt32BE(processID);
  keyData.writeInt32BE(secretKey, 4);
  // A request that comes before the server is at work on the statement cancels nothing.
  const again = async (): Promise<void> => {
    const canceller = await RawClient.connect(tap);
    canceller.send(client.cancel(keyData));
    canceller.socket.resume();
    await once(canceller.socket, 'close');
  };
  let done = false;
  ended.then(() => (done = true));
  while (!done) await again();
  expect(await ended).toMatchObject({ code: '57014' });
  expect((await recording.stop()).statements).toMatchObject([{ cancelled: true, sqlstate: '57014' }]);
  await c.end();
});

it('a certificate that is not trusted ends the connection', async () => {
  const c = as('joe', await tapOn({}));
  await expect(c.connect()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('closing the tap closes connections over TLS', async () => {
  const tap = await tapOn(trusted);
  const c = as('joe', tap);
  c.on('error', () => {});
  await c.connect();
  const ended = new Promise<void>((resolve) => c.once('end', resolve));
  await tap.close();
  await ended;
});

it('large results pass over TLS', async () => {
  const c = as('joe', await tapOn(trusted));
  await c.connect();
  const { rows } = await c.query("SELECT repeat('x', 5000000) AS text, length($1) AS length", ['y'.repeat(5_000_000)]);
  expect([rows[0].text.length, rows[0].length]).toEqual([5_000_000, 5_000_000]);
  await c.end();
});
