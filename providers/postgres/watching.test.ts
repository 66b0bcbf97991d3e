import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lease, Sample } from '../../contracts/kernel/engine.ts';
import type { Engine } from '../provider.ts';
import type { PostgresSite } from '../sites.ts';
import { postgres } from './index.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

/** A lease with a table, and a client that a subject would open. */
async function onLease(body: (lease: Lease, client: pg.Client) => Promise<void>): Promise<void> {
  const lease = await engine.lease({ mode: 'direct' });
  const client = new pg.Client({ connectionString: (lease.site as PostgresSite).url });
  await client.connect();
  await client.query('CREATE TABLE t (id bigint)');
  await body(lease, client);
  await client.end();
  await lease.release();
}

const counts = (samples: Sample[]): unknown[] =>
  samples.map(({ found }) => ('rows' in found ? found.rows[0]!.t : found));

it('sees the statements of a batch and counts its round trips', () =>
  onLease(async (lease, client) => {
    await client.query('SELECT 1');
    const watch = await lease.watch();
    await client.query('BEGIN');
    await client.query('INSERT INTO t SELECT generate_series(1, $1::int)', [3]);
    await client.query('INSERT INTO missing VALUES (1)').catch(() => {});
    await client.query('ROLLBACK');
    const seen = await watch.stop();
    expect(await watch.stop()).toBe(seen);
    expect(seen.roundTrips).toBe(4);
    expect(seen.samples).toEqual([]);
    expect(seen.statements).toMatchObject([
      { kind: 'begin', connection: 1 },
      { kind: 'write', text: 'INSERT INTO t SELECT generate_series(1, $1::int)', rows: 3 },
      { kind: 'write', failed: 'relation "missing" does not exist' },
      { kind: 'rollback' },
    ]);
  }));

it('looks at several connections at once one after the other', () =>
  onLease(async (lease, client) => {
    const warnings: string[] = [];
    const hear = ({ message }: Error) => void warnings.push(message);
    process.on('warning', hear);
    const others = Array.from(
      { length: 4 },
      () => new pg.Client({ connectionString: (lease.site as PostgresSite).url }),
    );
    for (const other of others) await other.connect();
    const watch = await lease.watch({ tables: ['t'] });
    const write = async (one: pg.Client) => {
      for (let n = 0; n < 20; n++) await one.query('INSERT INTO t VALUES (1)');
    };
    await Promise.all([client, ...others].map(write));
    const { samples } = await watch.stop();
    for (const other of others) await other.end();
    process.off('warning', hear);
    expect(samples.length).toBeGreaterThan(20);
    expect(samples.at(-1)).toMatchObject({ found: { rows: [{ t: 100 }] } });
    expect(warnings).toEqual([]);
  }));

it('a reader looks inside a transaction, and sees its rows only once they are committed', () =>
  onLease(async (lease, client) => {
    const watch = await lease.watch({ tables: ['t'] });
    await client.query('BEGIN');
    await client.query('INSERT INTO t VALUES (1)');
    await client.query('COMMIT');
    await client.query('SELECT 1');
    const { samples } = await watch.stop();
    const beforeCommit = samples.filter(({ inFlight, statements }) => inFlight && statements < 3);
    expect(beforeCommit.length).toBeGreaterThan(1);
    expect(new Set(counts(beforeCommit))).toEqual(new Set([0]));
    expect(samples[0]).toMatchObject({ statements: 0, inFlight: false });
    expect(samples.at(-1)).toMatchObject({ inFlight: false, found: { rows: [{ t: 1 }] } });
  }));

it.each([1, 5000])('a reader looks inside a single statement of %i rows, however quick it is', (rows) =>
  onLease(async (lease, client) => {
    for (let time = 0; time < 5; time++) {
      await client.query('TRUNCATE t');
      const watch = await lease.watch({ tables: ['t'] });
      await client.query('INSERT INTO t SELECT generate_series(1, $1::int)', [rows]);
      const { samples } = await watch.stop();
      const inside = samples.filter(({ inFlight }) => inFlight);
      expect(counts(inside)).toContain(0);
      expect(counts(samples).filter((seen) => seen !== 0 && seen !== rows)).toEqual([]);
    }
  }),
);

it('a reader sees the part of a batch that was committed before the rest', () =>
  onLease(async (lease, client) => {
    const watch = await lease.watch({ statement: 'SELECT count(*) AS t, max(id) AS last FROM t' });
    await client.query('INSERT INTO t VALUES (9007199254740993)');
    await client.query('INSERT INTO t VALUES (2)');
    const { samples } = await watch.stop();
    expect(samples.map(({ found }) => found)).toContainEqual({ rows: [{ t: 1, last: 9007199254740993n }] });
  }));

it('a reader that is kept out by a lock says so, and one whose statement is wrong is told at once', () =>
  onLease(async (lease, client) => {
    const watch = await lease.watch({ tables: ['t'] });
    await client.query('BEGIN');
    await client.query('TRUNCATE t');
    await client.query('ROLLBACK');
    const { samples } = await watch.stop();
    expect(samples.map(({ found }) => found)).toContainEqual({
      refused: 'postgres: canceling statement due to lock timeout, in: SELECT (SELECT count(*) FROM "t") AS "t"',
    });
    await expect(lease.watch({ statement: 'SELECT nothing FROM t' })).rejects.toThrow(
      'column "nothing" does not exist',
    );
    const none = await lease.watch({ tables: ['missing'] });
    await client.query('SELECT 1');
    expect((await none.stop()).samples[0]!.found).toHaveProperty('missing');
  }));

it('many looks that find the same are not all kept', () =>
  onLease(async (lease, client) => {
    const watch = await lease.watch({ tables: ['t'] });
    await client.query('BEGIN');
    for (let n = 0; n < 400; n++) await client.query('SELECT 1');
    await client.query('COMMIT');
    const { samples, statements } = await watch.stop();
    expect(statements).toHaveLength(402);
    expect(samples.length).toBeLessThan(600);
  }));

it('a reader that can no longer read fails the watch, not the subject', () =>
  onLease(async (lease, client) => {
    const watch = await lease.watch({ statement: 'SELECT id FROM t' });
    await client.query('ALTER TABLE t RENAME id TO other');
    await client.query('SELECT 1');
    await expect(watch.stop()).rejects.toThrow('column "id" does not exist');
  }));
