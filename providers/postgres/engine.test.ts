import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { startEmbedded } from '../provision/embedded.ts';
import type { Server } from '../provision/server.ts';
import type { PostgresSite } from '../sites.ts';
import { loadDriver } from './driver.ts';
import { PostgresEngine } from './engine.ts';
import { StandIn } from './stand-in.ts';

let server: Server;
let engine: PostgresEngine;
beforeAll(async () => {
  server = await startEmbedded();
  engine = await PostgresEngine.open(await loadDriver(), server, {});
});
afterAll(() => engine.stop());

const direct = { mode: 'direct' };
const siteOf = (lease: Lease): PostgresSite => lease.site as PostgresSite;
const subjectOn = async (lease: Lease): Promise<StandIn> => new StandIn(await loadDriver(), siteOf(lease));

/** Runs a statement as the owner of the server. */
async function asOwner(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.address as pg.ClientConfig);
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

it('says what it is', () => {
  expect(engine.version).toMatch(/^\d+\.\d+$/);
  expect(engine.facts('direct')).toMatchObject({ provider: 'postgres', version: engine.version, maxParams: 65_535 });
  expect(engine.facts('direct').lacks).toEqual({});
  expect(() => engine.facts('pooled')).toThrow('postgres has no mode pooled; it has direct');
});

it('a subject finds its schema whichever way it connects, and nothing of another lease', async () => {
  const [one, two] = [await engine.lease(direct), await engine.lease(direct)];
  const { host, port, user, password, database, url, schema } = siteOf(one);
  for (const config of [{ connectionString: url }, { host, port, user, password, database }]) {
    const client = new pg.Client(config);
    await client.connect();
    const { rows } = await client.query('SELECT current_schema AS here, current_schemas(false)::text[] AS all');
    expect(rows).toEqual([{ here: schema, all: [schema] }]);
    await client.end();
  }
  const subject = await subjectOn(one);
  await subject.query('CREATE TABLE t (id int); INSERT INTO t VALUES (1)');
  expect(await two.read('SELECT * FROM t')).toHaveProperty('missing');
  const stranger = await subjectOn(two);
  expect(await stranger.errorOf(`SELECT * FROM ${schema}.t`)).toBe(`permission denied for schema ${schema}`);
  // What a library may do on a database that it was granted to create in.
  await stranger.query('CREATE SCHEMA another');
  await subject.end();
  await stranger.end();
  await one.release();
  await two.release();
});

it('what was released has no session left, whatever its subject was at', async () => {
  const lease = await engine.lease(direct);
  const { schema } = siteOf(lease);
  const subjects = await Promise.all(['idle', 'in a transaction', 'at work'].map(() => subjectOn(lease)));
  for (const subject of subjects) await subject.query('SELECT 1');
  await subjects[1]!.query('BEGIN; CREATE TABLE t (id int)');
  const cancelled = subjects[2]!.errorOf('SELECT pg_sleep(600)');
  await lease.release();
  expect(await asOwner(`SELECT state FROM pg_stat_activity WHERE usename = '${schema}'`)).toEqual([]);
  expect(await cancelled).not.toBeNull();
});

it('more pools than the server has slots can be opened one after the other', async () => {
  const [{ most }] = (await asOwner(`SELECT current_setting('max_connections')::int AS most`)) as [{ most: number }];
  for (let opened = 0; opened < most + 20; opened += 8) {
    const lease = await engine.lease(direct);
    const pool = new pg.Pool({ connectionString: siteOf(lease).url, max: 8 });
    await Promise.all(Array.from({ length: 8 }, () => pool.query('SELECT pg_sleep(0.001)')));
    // A pool says that it has ended before its sockets are closed.
    await pool.end();
    await lease.release();
    expect(await asOwner(`SELECT 1 FROM pg_stat_activity WHERE usename = '${siteOf(lease).schema}'`)).toEqual([]);
  }
});

it('what was released leaves neither schema nor role, and reads of it find nothing', async () => {
  const lease = await engine.lease(direct);
  const subject = await subjectOn(lease);
  await subject.query('CREATE TABLE t (id int); CREATE SCHEMA of_the_subject');
  const armed = await lease.arm({ at: 'lock' });
  await lease.release();
  await lease.release();
  await armed.disarm();
  const { schema } = siteOf(lease);
  const left = `SELECT nspname FROM pg_namespace WHERE nspname IN ('${schema}', 'of_the_subject')
                UNION ALL SELECT rolname FROM pg_roles WHERE rolname = '${schema}'`;
  while ((await asOwner(left)).length > 0);
  expect(await lease.read('SELECT * FROM t')).toHaveProperty('missing');
});

it('leases taken at once do not get in each other’s way', async () => {
  const leases = await Promise.all(Array.from({ length: 12 }, () => engine.lease(direct)));
  expect(new Set(leases.map((lease) => siteOf(lease).schema)).size).toBe(12);
  await Promise.all(leases.map((lease) => lease.release()));
});

it('a server of somebody’s is not to be killed', async () => {
  const { host, port, user, password, database } = server.address;
  const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
  const { serverAt } = await import('../provision/url.ts');
  const another = await PostgresEngine.open(await loadDriver(), serverAt(url), {});
  const lease = await another.lease(direct);
  await expect(lease.crash()).rejects.toThrow(NotApplicable);
  await expect(lease.recover()).rejects.toThrow("the server is somebody's");
  await lease.release();
  await another.stop();
  expect(await asOwner('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('a server that ends meanwhile is told by every way that needs it; stopping goes on', async () => {
  const own = await startEmbedded();
  const short = await PostgresEngine.open(await loadDriver(), own, {});
  const lease = await short.lease(direct);
  await own.own!.kill();
  await expect(short.lease(direct)).rejects.toMatchObject({ name: 'EngineUnavailable' });
  await expect(lease.snapshot()).rejects.toMatchObject({ name: 'EngineUnavailable' });
  await lease.release();
  await short.stop();
  await short.stop();
  await expect(short.lease(direct)).rejects.toThrow('the engine has been stopped');
});

it('with keep, a private server leaves its data and tells where', async () => {
  const own = await startEmbedded();
  const keeping = await PostgresEngine.open(await loadDriver(), own, { keep: true });
  await keeping.examine('direct');
  const lease = await keeping.lease(direct);
  await lease.release();
  await keeping.stop();
  const where = expect.stringMatching(/^\S+\/data \(\S+\/KEPT tells how to start a server on it\)$/);
  expect(keeping.kept()).toEqual([{ name: siteOf(lease).schema, where }]);
  const data = keeping.kept()[0]!.where.split(' ')[0]!;
  expect(existsSync(`${data}/PG_VERSION`)).toBe(true);
  const { rmSync } = await import('node:fs');
  rmSync(dirname(data), { recursive: true });
});
