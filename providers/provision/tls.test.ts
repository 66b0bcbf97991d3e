import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientConfig } from '../postgres/connections.ts';
import { selfSigned } from '../wire/fixtures/certificate.ts';
import { startTestServer, type TestServer } from '../wire/fixtures/server.ts';
import { openTap } from '../wire/index.ts';
import { tlsOptions } from './tls.ts';
import { addressOf } from './url.ts';

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), 'ct-tls-'));
const warnings: string[] = [];
const warned = (warning: Error) => warnings.push(warning.message);

beforeAll(async () => {
  process.on('warning', warned);
  const { key, cert } = selfSigned();
  writeFileSync(join(folder, 'root.pem'), cert);
  server = await startTestServer({ 'postgresql.auto.conf': 'ssl = on', 'server.key': key, 'server.crt': cert });
});

afterAll(async () => {
  process.off('warning', warned);
  rmSync(folder, { recursive: true });
  await server?.stop();
});

/** Connects as the judge does, and as a subject through the tap. */
async function connectBoth(host: string, mode: string): Promise<string[]> {
  const query = `sslmode=${mode}&sslrootcert=${join(folder, 'root.pem')}`;
  const address = addressOf(`postgres://postgres@${host}:${server.port}/postgres?${query}`);
  const tap = await openTap({ upstream: { ...address, tls: tlsOptions(address.tls!) } });
  const through = { host: tap.host, port: tap.port, user: 'postgres', database: 'postgres' };
  const ends: string[] = [];
  for (const config of [clientConfig(address), through]) {
    const client = new pg.Client(config);
    client.on('error', () => {});
    ends.push(
      await client.connect().then(
        () => 'connected',
        (error) => error.code,
      ),
    );
    await client.end().catch(() => {});
  }
  await tap.close();
  return ends;
}

it('verify-ca takes a certificate for another host, verify-full does not', async () => {
  expect(await connectBoth('127.0.0.1', 'verify-ca')).toEqual(['connected', 'connected']);
  expect(await connectBoth('127.0.0.1', 'verify-full')).toEqual(['ERR_TLS_CERT_ALTNAME_INVALID', 'ECONNRESET']);
  expect(await connectBoth('localhost', 'verify-full')).toEqual(['connected', 'connected']);
});

it('an address in place of a name is no cause for a warning', () => {
  expect(warnings).toEqual([]);
});
