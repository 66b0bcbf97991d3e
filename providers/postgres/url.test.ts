import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as TcpServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../provider.ts';
import type { PostgresSite } from '../sites.ts';
import { startTestServer } from '../wire/fixtures/server.ts';
import { loadDriver } from './driver.ts';
import { type SomebodysServer, somebodysServer } from './fixtures/plain-role.ts';
import { postgres } from './index.ts';
import { StandIn } from './stand-in.ts';

let theirs: SomebodysServer;

beforeAll(async () => {
  theirs = await somebodysServer();
});
afterAll(() => theirs.stop());

const direct = { mode: 'direct' };

async function withEngine<T>(body: (engine: Engine) => Promise<T>, options: { keep?: boolean } = {}): Promise<T> {
  const engine = await postgres.start({ url: theirs.url, ...options });
  try {
    return await body(engine);
  } finally {
    await engine.stop();
  }
}

/** Schemas, roles and tables that there are, and what they hold. */
async function inventory(): Promise<unknown> {
  const names = await theirs.asOwner(
    `SELECT 'schema' AS what, nspname AS name, obj_description(oid) AS comment, nspowner::regrole::text AS owner
     FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'
     UNION ALL SELECT 'role', rolname, rolconfig::text, '' FROM pg_roles
     UNION ALL SELECT 'relation', relname, relacl::text, relnamespace::regnamespace::text FROM pg_class WHERE oid >= 16384
     ORDER BY 1, 2, 4`,
  );
  return { names, rows: await theirs.asOwner('SELECT * FROM app.orders') };
}

describe('on a server that is somebody’s', () => {
  beforeAll(async () => {
    await theirs.asOwner(`
      CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, note text); INSERT INTO app.orders VALUES (1, 'theirs');
      CREATE SCHEMA ct_not_ours AUTHORIZATION plain; COMMENT ON SCHEMA ct_not_ours IS 'made by hand';
      CREATE TABLE public.messages (id int)`);
  });

  it('nothing but schemas of our own is created, and those are gone afterwards', async () => {
    const before = await inventory();
    await withEngine(async (engine) => {
      await engine.examine('direct');
      const lease = await engine.lease(direct);
      const { schema, user } = lease.site as PostgresSite;
      expect(user).toBe('plain');
      const comment = `SELECT obj_description(oid) AS comment FROM pg_namespace WHERE nspname = '${schema}'`;
      expect(await theirs.asOwner(comment)).toEqual([
        { comment: expect.stringMatching(/^contract-test: owned by run \d+$/) },
      ]);
      const subject = new StandIn(await loadDriver(), lease.site as PostgresSite);
      await subject.query('CREATE TABLE messages (id int); INSERT INTO messages VALUES (1)');
      expect(await lease.read('SELECT * FROM messages')).toEqual({ rows: [{ id: 1 }] });
      await lease.wipe();
      // Theirs, in a schema that everybody else searches.
      expect(await lease.read('SELECT * FROM messages')).toHaveProperty('missing');
      await subject.end();
    });
    expect(await inventory()).toEqual(before);
  });

  it('a session that the subject has left in a transaction does not keep its schema', async () => {
    const before = await inventory();
    await withEngine(async (engine) => {
      const lease = await engine.lease(direct);
      const client = new pg.Client({ ...(await directAddress()), options: `-c search_path=${schemaOf(lease.site)}` });
      const lost = new Promise((resolve) => client.on('error', resolve));
      await client.connect();
      await client.query('BEGIN; CREATE TABLE t (id int)');
      await client.query('COMMIT');
      await client.query('BEGIN; LOCK TABLE t');
      await lease.release();
      await lost;
    });
    expect(await inventory()).toEqual(before);
  });

  it('the right to temporary tables, which not every backend needs, is told and not demanded', async () => {
    const told = () =>
      withEngine(async (engine) =>
        (await engine.examine('direct')).find(({ name }) => name === 'right to temporary tables'),
      );
    expect(await told()).toMatchObject({ ok: true, detail: 'the subject has it' });
    await theirs.asOwner('REVOKE TEMPORARY ON DATABASE theirs FROM PUBLIC');
    expect(await told()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('GRANT TEMPORARY ON DATABASE "theirs" TO "plain" gives it'),
    });
    await theirs.asOwner('GRANT TEMPORARY ON DATABASE theirs TO PUBLIC');
  });

  it('rows that are hidden from their owner are told as such, and not as missing', async () => {
    await withEngine(async (engine) => {
      const lease = await engine.lease(direct);
      const subject = new StandIn(await loadDriver(), lease.site as PostgresSite);
      await subject.query(`
        CREATE TABLE secrets (id int); INSERT INTO secrets VALUES (1);
        ALTER TABLE secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        CREATE POLICY none ON secrets USING (false)`);
      const hidden = {
        name: 'NotApplicable',
        message: expect.stringContaining('row security, which is forced on secrets'),
      };
      await expect(lease.read('SELECT * FROM secrets')).rejects.toMatchObject(hidden);
      await expect(lease.snapshot()).rejects.toMatchObject(hidden);
      await subject.query('ALTER TABLE secrets NO FORCE ROW LEVEL SECURITY');
      expect(await lease.read('SELECT * FROM secrets')).toEqual({ rows: [{ id: 1 }] });
      await subject.end();
    });
  });

  it('schemas of a run that is gone are swept, those of one that lives are not', async () => {
    const gone = `contract-test: owned by run ${randomInt(2 ** 31 - 1)}`;
    await theirs.asOwner(`
      CREATE SCHEMA ct_gone_1 AUTHORIZATION plain; COMMENT ON SCHEMA ct_gone_1 IS '${gone}';
      CREATE TABLE ct_gone_1.t (id int); ALTER TABLE ct_gone_1.t OWNER TO plain;
      CREATE SCHEMA app_marked AUTHORIZATION plain; COMMENT ON SCHEMA app_marked IS '${gone}';
      CREATE SCHEMA ct_others; COMMENT ON SCHEMA ct_others IS '${gone}'`);
    const schemas = async (): Promise<unknown[]> =>
      (await theirs.asOwner(`SELECT nspname FROM pg_namespace WHERE nspname ~ '^(ct_|app)' ORDER BY 1`)).map(
        ({ nspname }) => nspname,
      );
    await withEngine(async (living) => {
      const { site } = await living.lease(direct);
      await withEngine(async () => {
        const expected = ['app', 'app_marked', 'ct_not_ours', 'ct_others', schemaOf(site)];
        expect(await schemas()).toEqual(expected.sort());
      });
    });
    await theirs.asOwner('DROP SCHEMA app_marked, ct_others');
  });

  it('a schema that was kept is told, found by nobody’s sweep, and can be looked into', async () => {
    const { kept, schema } = await withEngine(
      async (engine) => {
        const lease = await engine.lease(direct);
        await lease.release();
        return { kept: engine.kept(), schema: schemaOf(lease.site) };
      },
      { keep: true },
    );
    const { host, port } = theirs.server.address;
    expect(kept).toEqual([{ name: schema, where: `postgres://plain@${host}:${port}/theirs` }]);
    await withEngine(async () => {
      expect(await theirs.asOwner(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toHaveLength(1);
    });
    await theirs.asOwner(`DROP SCHEMA ${schema}`);
  });
});

it('where there are few sessions, fewer guards are judged at once', async () => {
  const atOnce = () => withEngine(async (engine) => engine.guardsAtOnce);
  await theirs.asOwner('ALTER ROLE plain CONNECTION LIMIT 18');
  expect(await atOnce()).toBe(1);
  await theirs.asOwner('ALTER ROLE plain CONNECTION LIMIT 40');
  expect(await atOnce()).toBe(2);
  await theirs.asOwner('ALTER ROLE plain CONNECTION LIMIT -1');
  expect(await atOnce()).toBeGreaterThan(10);
});

describe('a server that cannot be had is told, and the password is not', () => {
  const refused = async (url: string): Promise<string> => {
    const failure = await postgres.start({ url }).catch((cause: unknown) => cause as Error);
    expect(failure).toMatchObject({ name: 'EngineUnavailable' });
    const { message, stack } = failure as Error;
    expect(`${message}${stack}`).not.toMatch(/p%40ss|p@ss|secret/);
    return message;
  };
  const withUrl = (parts: Partial<URL>): string => Object.assign(new URL(theirs.url), parts).href;

  it('a wrong password', async () => {
    expect(await refused(withUrl({ password: 'secret' }))).toMatch(
      /^postgres:\/\/plain@127.0.0.1:\d+\/theirs: the server refuses the password of plain$/,
    );
  });

  it('a database that is not there', async () => {
    expect(await refused(withUrl({ pathname: '/missing' }))).toMatch(/there is no database missing$/);
  });

  it('a role that may not create schemas', async () => {
    await theirs.asOwner(`CREATE ROLE weak LOGIN PASSWORD 'secret'`);
    const url = withUrl({ username: 'weak', password: 'secret' });
    expect(await refused(url)).toMatch(/may not create schemas; GRANT CREATE ON DATABASE "theirs" TO "weak" lets it$/);
    await theirs.asOwner('DROP ROLE weak');
  });

  it('too few sessions for a run, of the role or in the database', async () => {
    await theirs.asOwner('ALTER ROLE plain CONNECTION LIMIT 6');
    expect(await refused(theirs.url)).toMatch(
      /: a run needs 18 sessions at once, and can have 6: CONNECTION LIMIT of role plain is 6$/,
    );
    await theirs.asOwner('ALTER ROLE plain CONNECTION LIMIT -1; ALTER DATABASE theirs CONNECTION LIMIT 18');
    const other = new pg.Client(await directAddress());
    await other.connect();
    expect(await refused(theirs.url)).toMatch(
      /can have 17: CONNECTION LIMIT of database theirs is 18, and others have 1$/,
    );
    await other.end();
    await theirs.asOwner('ALTER DATABASE theirs CONNECTION LIMIT -1');
  });

  it('a role whose transactions are read-only', async () => {
    await theirs.asOwner('ALTER ROLE plain SET default_transaction_read_only = on');
    expect(await refused(theirs.url)).toMatch(
      /transactions of plain are read-only .*; ALTER ROLE "plain" IN DATABASE "theirs" SET .* = off lets it write$/,
    );
    await theirs.asOwner('ALTER ROLE plain RESET default_transaction_read_only');
  });

  it('a standby', async () => {
    const standby = await startTestServer({ 'standby.signal': '' });
    expect(await refused(`postgres://postgres@127.0.0.1:${standby.port}/postgres`)).toMatch(
      /the server is a standby, which takes no writes/,
    );
    await standby.stop();
  });

  it('a database that cannot store every character', async () => {
    await theirs.asOwner(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await theirs.asOwner('GRANT CREATE ON DATABASE latin TO plain');
    expect(await refused(withUrl({ pathname: '/latin' }))).toMatch(/the encoding of the database is LATIN1/);
  });

  it('a port on which nobody answers, and a host that is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    expect(await refused(`postgres://plain:secret@127.0.0.1:${port}/theirs`)).toBe(
      `postgres://plain@127.0.0.1:${port}/theirs: nothing answers on port ${port} of 127.0.0.1`,
    );
    expect(await refused('postgres://plain:secret@nowhere.invalid/theirs')).toContain(
      'there is no host nowhere.invalid',
    );
  });

  it('something that is no PostgreSQL server', async () => {
    const server: TcpServer = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await refused(`postgres://plain:secret@127.0.0.1:${port}/theirs`)).toContain(`127.0.0.1:${port}/theirs: `);
    server.close();
  });

  it('TLS that the server does not speak', async () => {
    expect(await refused(`${theirs.url}?sslmode=require`)).toContain('The server does not support SSL connections');
  });
});

const schemaOf = (site: unknown): string => (site as PostgresSite).schema;

async function directAddress() {
  const { username, password, hostname, port, pathname } = new URL(theirs.url);
  return {
    user: username,
    password: decodeURIComponent(password),
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
  };
}
