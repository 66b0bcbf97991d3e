import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { addressOf, serverAt, shown } from './url.ts';

afterEach(() => vi.unstubAllEnvs());

it('reads an address with everything in it', () => {
  const address = addressOf('postgres://a%40b:p%2Fw%3A@db.example:6543/my%20data?sslmode=verify-full');
  expect(address).toEqual({
    host: 'db.example',
    port: 6543,
    user: 'a@b',
    password: 'p/w:',
    database: 'my data',
    tls: { rejectUnauthorized: true },
  });
  expect(shown(address)).toBe('postgres://a%40b@db.example:6543/my%20data');
});

it('fills in what is left out, as libpq does', () => {
  vi.stubEnv('PGUSER', 'someone');
  vi.stubEnv('PGPASSWORD', 'secret');
  const bare = { host: '::1', port: 5432, user: 'someone', password: 'secret', database: 'someone' };
  expect(addressOf('postgresql://[::1]')).toEqual(bare);
  expect(shown(addressOf('postgresql://[::1]'))).toBe('postgres://someone@[::1]:5432/someone');
  vi.stubEnv('PGUSER', '');
  vi.stubEnv('PGPASSWORD', '');
  expect(addressOf('postgres://h/d')).toMatchObject({ user: 'postgres', password: '', database: 'd' });
});

it('speaks TLS as sslmode says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ct-url-'));
  const root = join(folder, 'root.pem');
  writeFileSync(root, 'certificate');
  const tlsOf = (query: string) => addressOf(`postgres://h/d?${query}`).tls;
  expect(tlsOf('sslmode=prefer')).toBeUndefined();
  expect(tlsOf('sslmode=require')).toEqual({ rejectUnauthorized: false });
  expect(tlsOf(`sslmode=verify-ca&sslrootcert=${root}`)).toEqual({
    rejectUnauthorized: true,
    ca: 'certificate',
    anyHost: true,
  });
  expect(() => tlsOf(`sslmode=require&sslrootcert=${root}.no`)).toThrow(`${root}.no cannot be read: ENOENT`);
  expect(() => tlsOf('sslmode=sometimes')).toThrow('sslmode=sometimes is not known');
  rmSync(folder, { recursive: true });
});

it.each([
  ['no url, but a secret', 'is no URL'],
  ['mysql://root:secret@h/d', 'begins with postgres://, not mysql://'],
  ['postgres://me:secret%off@h/d', 'write %25 for it'],
  ['postgres:///d?host=/run/secret', 'names no host'],
])('%s is refused without being shown', (url, message) => {
  const failure = (() => {
    try {
      return serverAt(url);
    } catch (cause) {
      return cause as Error;
    }
  })() as Error;
  expect(failure).toMatchObject({ name: 'EngineUnavailable', message: expect.stringContaining(message) });
  expect(`${failure.stack}${String(failure.cause)}`).not.toContain('secret');
});
