import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AbortKind, Lease } from '../../contracts/kernel/engine.ts';
import type { PostgresSite } from '../sites.ts';
import { type Place, places, startEngines, type TestEngines } from './fixtures/engines.ts';
import type { StandIn } from './stand-in.ts';

let engines: TestEngines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const tables = `
  CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, value text);
  CREATE TABLE parted (id int) PARTITION BY LIST (id); CREATE TABLE part PARTITION OF parted DEFAULT`;

/** Runs a body on a lease with tables, by a subject whose session is open already. */
function onLease(where: Place, body: (lease: Lease, subject: StandIn) => Promise<void>): Promise<void> {
  return engines.onLease(where, tables, body);
}

const countIn = async (lease: Lease): Promise<unknown> => {
  const found = await lease.read('SELECT (SELECT count(*) FROM things) + (SELECT count(*) FROM parted) AS n');
  return 'rows' in found ? found.rows[0]!.n : found;
};

const expected: Record<AbortKind, { code: string; message: RegExp }> = {
  'statement-timeout': { code: '57014', message: /^canceling statement due to/ },
  'lock-timeout': { code: '55P03', message: /^canceling statement due to lock timeout$/ },
  'idle-timeout': { code: '25P03', message: /^terminating connection due to idle-in-transaction timeout$/ },
  terminated: { code: '57P01', message: /^terminating connection due to administrator command$/ },
};
const kinds = Object.keys(expected) as AbortKind[];

describe.each(places)('on %s', (where) => {
  it.each(kinds)('%s ends a transaction, once', (by) =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'abort', by });
      expect(await armed.sprung()).toMatchObject({ count: 0, raised: 0 });
      const watch = await lease.watch();
      await subject.query('BEGIN');
      const failure = await (async () => {
        await subject.query("INSERT INTO things (value) VALUES ('a'), ('b')");
        await subject.query('COMMIT');
      })().catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ code: expected[by].code, message: expect.stringMatching(expected[by].message) });
      expect(await armed.sprung()).toMatchObject({ count: 1, raised: 1 });
      const { interference } = await watch.stop();
      const line = `aborted by the server: ${expected[by].code} `;
      expect(interference!.map(({ text }) => text)).toContainEqual(expect.stringContaining(line));
      if (by === 'statement-timeout' || by === 'lock-timeout') await subject.query('ROLLBACK');
      expect(await countIn(lease)).toBe(0);
      await subject.query("BEGIN; INSERT INTO things (value) VALUES ('c'); COMMIT");
      await armed.disarm();
      await subject.query('BEGIN');
      await subject.query('INSERT INTO things (value) VALUES (null)');
      await subject.query('COMMIT');
      expect(await armed.sprung()).toMatchObject({ count: 1, raised: 1 });
      expect(await countIn(lease)).toBe(2);
    }),
  );

  it.each(kinds.filter((by) => by !== 'idle-timeout'))('%s ends a single statement, on a partition too', (by) =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'abort', by });
      const failure = await subject.query('INSERT INTO part VALUES (1), (2)').catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ code: expected[by].code });
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      expect(await countIn(lease)).toBe(0);
      await armed.disarm();
      expect(await subject.errorOf('INSERT INTO part VALUES (1)')).toBeNull();
    }),
  );

  it('a session is idle before a statement with parameters, too, which begins with several messages', () =>
    onLease(where, async (lease) => {
      const client = new pg.Client({ connectionString: (lease.site as PostgresSite).url });
      client.on('error', () => {});
      await client.connect();
      const armed = await lease.arm({ at: 'abort', by: 'idle-timeout' });
      await client.query('BEGIN');
      await client.query('INSERT INTO things (value) VALUES ($1)', ['a']);
      const failure = client.query('INSERT INTO things (value) VALUES ($1)', ['b']);
      await expect(failure).rejects.toMatchObject({ code: '25P03' });
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      await armed.disarm();
      expect(await countIn(lease)).toBe(0);
    }));

  it('a single statement is never idle in a transaction', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'abort', by: 'idle-timeout' });
      await subject.query("INSERT INTO things (value) VALUES ('a')");
      await armed.disarm();
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      expect(await countIn(lease)).toBe(1);
    }));

  it('what was armed is no content, and reading and restoring do not set it off', () =>
    onLease(where, async (lease, subject) => {
      await subject.query("INSERT INTO things (value) VALUES ('a')");
      const whole = await lease.snapshot();
      const armed = await lease.arm({ at: 'abort', by: 'terminated' });
      expect(await lease.snapshot()).toEqual(whole);
      await lease.restore(whole);
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      await armed.disarm();
    }));
});
