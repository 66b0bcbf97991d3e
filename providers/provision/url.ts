import { readFileSync } from 'node:fs';
import { EngineUnavailable } from '../provider.ts';
import type { Address, Server } from './server.ts';
import type { Tls } from './tls.ts';

/** Environment variable with the address of a server that is somebody's. */
export const urlVariable = 'CONTRACT_TEST_POSTGRES_URL';

/** A server that is somebody's: nothing is started, and nothing ended. */
export function serverAt(url: string): Server {
  return { way: 'url', address: addressOf(url), own: undefined, stop: async () => {} };
}

/** Reads `postgres://user:password@host:port/database?sslmode=…`; what it says of a wrong one shows no password. */
export function addressOf(url: string): Address {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // The error would show the URL, and with it the password.
    throw new EngineUnavailable('the address of the PostgreSQL server is no URL; write postgres://user@host/database');
  }
  if (!['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new EngineUnavailable(`the address of a PostgreSQL server begins with postgres://, not ${parsed.protocol}//`);
  }
  if (parsed.hostname === '') {
    throw new EngineUnavailable(
      'the address of the PostgreSQL server names no host; sockets in the file system will not do',
    );
  }
  const user = decoded(parsed.username) || process.env.PGUSER || 'postgres';
  const tls = tlsOf(parsed);
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(parsed.port || 5432),
    user,
    password: decoded(parsed.password) || process.env.PGPASSWORD || '',
    database: decoded(parsed.pathname.slice(1)) || user,
    ...(tls && { tls }),
  };
}

/** A password is often pasted as it is, and its % is no escape then. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new EngineUnavailable('the address of the PostgreSQL server has a % that escapes nothing; write %25 for it');
  }
}

/** By the words of libpq's `sslmode`. */
function tlsOf(url: URL): Tls | undefined {
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  if (['disable', 'allow', 'prefer'].includes(mode)) return undefined;
  const rootCertificate = url.searchParams.get('sslrootcert');
  const ca = rootCertificate ? { ca: certificate(rootCertificate) } : {};
  if (mode === 'require' || mode === 'no-verify') return { rejectUnauthorized: false, ...ca };
  if (mode === 'verify-ca') return { rejectUnauthorized: true, ...ca, anyHost: true };
  if (mode === 'verify-full') return { rejectUnauthorized: true, ...ca };
  throw new EngineUnavailable(`sslmode=${mode} is not known; write disable, require, verify-ca or verify-full`);
}

function certificate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new EngineUnavailable(`sslrootcert=${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}`);
  }
}

/** How an address is shown: everything but the password. */
export function shown({ host, port, user, database }: Address): string {
  const hostname = host.includes(':') ? `[${host}]` : host;
  return `postgres://${encodeURIComponent(user)}@${hostname}:${port}/${encodeURIComponent(database)}`;
}
