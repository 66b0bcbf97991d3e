import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lease, LeftLocked } from '../../contracts/kernel/engine.ts';
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

/** A subject in a thread of its own, which waits for a lock as long as it must. */
async function subjectOn(lease: Lease): Promise<(sql: string) => Promise<void>> {
  const site = lease.site as SqliteSite;
  const host = StandInHost.worker();
  hosts.push(host);
  await lease.attach(host.link(site));
  await host.run(site, 'PRAGMA busy_timeout = 600000');
  return (sql) => host.run(site, sql);
}

const change = (by: string): string => `UPDATE things SET value = value || ' ${by}' WHERE id = 1`;

describe.each(['file', 'shared'] as const)('a transaction of another session in mode %s', (mode) => {
  let lease: Lease;
  let run: (sql: string) => Promise<void>;
  const value = async (): Promise<unknown> => {
    const found = await lease.read('SELECT value FROM things');
    return 'rows' in found ? found.rows[0]?.value : found;
  };

  beforeEach(async () => {
    lease = await engine.lease({ mode });
    run = await subjectOn(lease);
    await run(`CREATE TABLE things (id INTEGER PRIMARY KEY, value); INSERT INTO things VALUES (1, 'old')`);
  });

  it('keeps the subject waiting until it commits', async () => {
    const other = await lease.begin();
    expect(await other.run('UPDATE things SET value = ? WHERE id = ?', ['new', '1'])).toBe(1);
    expect(await other.run('UPDATE things SET value = ? WHERE id = ?', ['new', '2'])).toBe(0);
    const waiting = run(change('subject'));
    await other.waiting(1);
    await other.commit();
    await waiting;
    expect(await value()).toBe('new subject');
  });

  it('leaves nothing when it is rolled back, and ends once', async () => {
    const other = await lease.begin();
    await other.run(change('other'));
    const waiting = run(`BEGIN IMMEDIATE; ${change('subject')}; COMMIT`);
    await other.waiting(1);
    await other.rollback();
    await waiting;
    await other.rollback();
    await other.commit();
    expect(await value()).toBe('old subject');
    await expect(other.run('SELECT 1')).rejects.toThrow('not open');
  });

  it('sees each connection that waits, that of a later host too, and hopes for no other at its end', async () => {
    const other = await lease.begin();
    const later = await subjectOn(lease);
    const both = [run(change('subject'))];
    const two = other.waiting(2).then(() => 'two');
    await other.waiting(1);
    expect(await Promise.race([two, 'one'])).toBe('one');
    both.push(later(change('subject')));
    expect(await two).toBe('two');
    const never = other.waiting(3);
    await other.commit();
    await Promise.all([...both, never]);
    expect(await value()).toBe('old subject subject');
  });

  it('is rolled back when the lease is released', async () => {
    const other = await lease.begin();
    await other.run(change('other'));
    const waiting = run(change('subject'));
    await other.waiting(1);
    await lease.release();
    await waiting;
    await expect(other.run('SELECT 1')).rejects.toThrow('not open');
  });

  it('waits for a lock of the subject, and says so of one that stays', async () => {
    await run(`BEGIN; ${change('subject')}`);
    await expect(lease.begin()).rejects.toThrow(LeftLocked);
    const begun = lease.begin();
    await run('COMMIT');
    const other = await begun;
    expect(await other.run(change('other'))).toBe(1);
    await other.commit();
    expect(await value()).toBe('old subject other');
  });

  it('does not keep the judge from anything else while it waits', async () => {
    await run(`BEGIN; ${change('subject')}`);
    const begun = lease.begin().catch(() => 'given up');
    // More answers than the judge asks for before it tries.
    for (let i = 0; i < 5; i++) await run('SELECT 1');
    expect(await Promise.race([begun, 'waits'])).toBe('waits');
    await begun;
  });
});

it('there is none in a private database', async () => {
  const lease = await engine.lease({ mode: 'memory' });
  await expect(lease.begin()).rejects.toMatchObject({
    name: 'NotApplicable',
    by: 'engine',
    message: lease.facts.lacks.lock,
  });
});
