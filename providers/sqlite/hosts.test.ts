import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { SqliteSite } from '../sites.ts';
import { SqliteEngine } from './engine.ts';
import { StandInHost } from './stand-in-host.ts';

let engine: SqliteEngine;
const hosts: StandInHost[] = [];

beforeEach(() => {
  engine = new SqliteEngine({});
});
afterEach(async () => {
  await engine.stop();
  for (const host of hosts.splice(0)) await host.end();
});

async function attached(lease: Lease, host: StandInHost): Promise<StandInHost> {
  hosts.push(host);
  await lease.attach(host.link(lease.site as SqliteSite));
  return host;
}

const schema = 'CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY, value)';
const insertThree = 'BEGIN; INSERT INTO things (value) VALUES (1), (2), (3); COMMIT';

async function withSchema(): Promise<{ lease: Lease; site: SqliteSite; host: StandInHost }> {
  const lease = await engine.lease({ mode: 'file' });
  const site = lease.site as SqliteSite;
  const host = await attached(lease, StandInHost.process());
  await host.run(site, schema);
  return { lease, site, host };
}

describe('in a child process', () => {
  it('those that are about to write wait at the start, without giving up, until all may go on', async () => {
    const { lease, site, host } = await withSchema();
    const other = await attached(lease, StandInHost.process());
    await other.run(site, schema);
    const armed = await lease.arm({ at: 'start' });
    const log: string[] = [];
    // Neither has a time-out: one may be refused since the other writes, but each does get to its statement.
    const both = Promise.all(
      [host, other].map(async (one) => {
        await one.errorOf(site, 'SELECT 1; INSERT INTO things (value) VALUES (1)');
        log.push('gone on');
      }),
    );
    await armed.waiting!(2);
    log.push('both wait');
    await armed.disarm();
    await both;
    expect(log).toEqual(['both wait', 'gone on', 'gone on']);
    expect(await lease.read('SELECT min(value) AS v FROM things')).toEqual({ rows: [{ v: 1 }] });
    await host.run(site, insertThree);
  });

  it('a crash kills before the n-th statement and leaves word of it', async () => {
    const lease = await engine.lease({ mode: 'file' });
    const site = lease.site as SqliteSite;
    const host = await attached(lease, StandInHost.process());
    await host.run(site, `${schema}; ${insertThree}`);
    const armed = await lease.arm({ at: 'crash', point: { statement: 6 } });
    await host.run(site, insertThree);
    expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
    expect(await host.errorOf(site, insertThree)).toBe('the host has ended');
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 6, raised: 1 });
    await armed.disarm();
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 6, raised: 1 });
    expect(await lease.read('SELECT count(*) AS n FROM things')).toEqual({ rows: [{ n: 6 }] });
    const next = await attached(lease, StandInHost.process());
    await next.run(site, insertThree);
    expect((await lease.snapshot()).tables).toEqual({ things: 9 });
  });

  it.each([
    { point: { matching: 'VALUES (3)' }, rows: 0, why: 'in the middle of the transaction' },
    { point: { commit: 'before-sent' }, rows: 0, why: 'before COMMIT' },
    { point: { commit: 'after-sent' }, rows: 3, why: 'after COMMIT' },
    { point: { commit: 'before-ack' }, rows: 3, why: 'after COMMIT' },
  ] as const)('a crash at $point kills $why', async ({ point, rows }) => {
    const { lease, site, host } = await withSchema();
    const armed = await lease.arm({ at: 'crash', point });
    const inserts = [1, 2, 3].map((n) => `INSERT INTO things (value) VALUES (${n})`);
    const batch = host.errorOf(site, `SELECT 1; BEGIN; ${inserts.join('; ')}; COMMIT; SELECT 2`);
    await armed.reached;
    expect(await batch).toBe('the host has ended');
    expect(await armed.sprung()).toMatchObject({ count: 1, raised: 1 });
    expect(await lease.recover()).toMatch(/^the same file, ct-\w+\.db, .*quick_check: ok$/);
    expect((await lease.snapshot()).tables).toEqual({ things: rows });
  });

  it.each([
    { commit: 'before-sent', rows: 0 },
    { commit: 'before-ack', rows: 3 },
  ] as const)('a crash $commit knows statements that commit themselves, and savepoints', async ({ commit, rows }) => {
    const scripts = [
      'INSERT INTO things (value) VALUES (1), (2), (3)',
      `SAVEPOINT "a b"; SAVEPOINT c; INSERT INTO things (value) VALUES (1), (2), (3); RELEASE c;
       RELEASE SAVEPOINT "A B"; SELECT 1`,
    ];
    for (const script of scripts) {
      const { lease, site, host } = await withSchema();
      await lease.arm({ at: 'crash', point: { commit } });
      expect(await host.errorOf(site, script)).toBe('the host has ended');
      await lease.recover();
      expect((await lease.snapshot()).tables).toEqual({ things: rows });
    }
  });

  it('crash() kills every process on the lease, keeps what was committed and drops what was not', async () => {
    const { lease, site, host } = await withSchema();
    const second = await attached(lease, StandInHost.process());
    const inThread = await attached(lease, StandInHost.worker());
    await host.run(site, insertThree);
    await second.query(site, 'SELECT 1');
    await host.run(site, 'BEGIN; INSERT INTO things (value) VALUES (4)');
    const { pids } = await lease.crash();
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await host.errorOf(site, 'SELECT 1')).toBe('the host has ended');
    expect(await inThread.query(site, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const recovered = await lease.recover();
    expect(recovered).toContain(`after process ${pids.join(', ')} had been killed`);
    expect(recovered).toMatch(/write-ahead log had [1-9]\d* bytes before/);
    expect((await lease.snapshot()).tables).toEqual({ things: 3 });
    const next = await attached(lease, StandInHost.process());
    await next.run(site, insertThree);
    expect((await lease.snapshot()).tables).toEqual({ things: 6 });
  });

  it('crash() is refused where nothing but the judge could be killed', async () => {
    const { lease, host } = await withSchema();
    await host.end();
    await attached(lease, StandInHost.worker());
    await lease.crash();
    await expect(lease.crash()).rejects.toMatchObject({ name: 'NotApplicable', by: 'host' });
    const memory = await engine.lease({ mode: 'memory' });
    await expect(memory.crash()).rejects.toMatchObject({ name: 'NotApplicable', by: 'engine' });
  });

  it('faults and samples work as in a thread, and big values cross', async () => {
    const lease = await engine.lease({ mode: 'memory' });
    const site = lease.site as SqliteSite;
    const host = await attached(lease, StandInHost.process());
    await host.run(site, `${schema}; INSERT INTO things VALUES (1, 9007199254740993), (2, x'00ff')`);
    expect(await lease.read('SELECT value FROM things')).toEqual({
      rows: [{ value: 9007199254740993n }, { value: Uint8Array.of(0, 255) }],
    });
    const before = await lease.snapshot();
    const armed = await lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'unique' });
    expect(await host.errorOf(site, insertThree)).toContain(armed.nonce);
    await host.run(site, 'ROLLBACK; DELETE FROM things');
    await lease.restore(before);
    expect(await lease.snapshot()).toEqual(before);
  });

  it('a database in shared memory cannot be opened', async () => {
    const lease = await engine.lease({ mode: 'shared' });
    const attach = attached(lease, StandInHost.process());
    await expect(attach).rejects.toMatchObject({ name: 'NotApplicable', by: 'host' });
  });
});

describe('in worker threads', () => {
  it('a crash is refused, since it would kill the judge', async () => {
    const lease = await engine.lease({ mode: 'file' });
    const site = lease.site as SqliteSite;
    const host = await attached(lease, StandInHost.worker());
    await host.run(site, schema);
    const arm = lease.arm({ at: 'crash', point: { statement: 1 } });
    await expect(arm).rejects.toMatchObject({ name: 'NotApplicable', by: 'host' });
    await host.run(site, insertThree);
  });

  it.each(['file', 'shared'] as const)('mode %s: two hosts on one lease are added up', async (mode) => {
    const lease = await engine.lease({ mode });
    const site = lease.site as SqliteSite;
    const a = await attached(lease, StandInHost.worker());
    const b = await attached(lease, StandInHost.worker());
    await a.run(site, schema);
    await b.run(site, schema);
    const armed = await lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'check' });
    const watch = await lease.watch({ tables: ['things'] });
    for (const host of [a, b]) {
      expect(await host.errorOf(site, insertThree)).toContain(armed.nonce);
      await host.run(site, 'ROLLBACK');
    }
    expect(await armed.sprung()).toEqual({ count: 2, rowsBefore: 1, raised: 2 });
    const { statements, samples } = await watch.stop();
    expect(statements.map(({ kind, connection }) => `${kind} ${connection}`)).toEqual([
      'begin 1',
      'write 1',
      'rollback 1',
      'begin 2',
      'write 2',
      'rollback 2',
    ]);
    expect(samples.filter((s) => s.inFlight).length).toBeGreaterThan(4);
  });

  it('a host that ended is forgotten, and the rest goes on', async () => {
    const lease = await engine.lease({ mode: 'file' });
    const site = lease.site as SqliteSite;
    const first = await attached(lease, StandInHost.worker());
    await first.run(site, schema);
    const armed = await lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    await first.end();
    const second = await attached(lease, StandInHost.worker());
    expect(await second.errorOf(site, insertThree)).toContain(armed.nonce);
    await second.run(site, 'ROLLBACK');
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 0, raised: 1 });
  });
});
