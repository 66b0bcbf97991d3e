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

describe('in a child process', () => {
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
