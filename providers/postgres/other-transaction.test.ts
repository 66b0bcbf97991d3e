import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lease, LeftLocked } from '../../contracts/kernel/engine.ts';
import type { PostgresSite } from '../sites.ts';
import { loadDriver } from './driver.ts';
import { places, startEngines, type TestEngines } from './fixtures/engines.ts';
import { StandIn } from './stand-in.ts';

let engines: TestEngines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const things = "CREATE TABLE things (id int PRIMARY KEY, value text); INSERT INTO things VALUES (1, 'old')";
const change = (by: string): string => `UPDATE things SET value = value || ' ${by}' WHERE id = 1`;

const valueIn = async (lease: Lease): Promise<unknown> => {
  const found = await lease.read('SELECT value FROM things');
  return 'rows' in found ? found.rows[0]?.value : found;
};

describe.each(places)('a transaction of another session on %s', (where) => {
  const onLease = (body: (lease: Lease, subject: StandIn) => Promise<void>) => engines.onLease(where, things, body);

  it('keeps the subject waiting until it commits, and is unseen before', () =>
    onLease(async (lease, subject) => {
      const other = await lease.begin();
      expect(await other.run('UPDATE things SET value = $2 WHERE id = $1', ['1', 'new'])).toBe(1);
      expect(await other.run('UPDATE things SET value = $2 WHERE id = $1', ['2', 'new'])).toBe(0);
      const watch = await lease.watch();
      const waiting = subject.query(change('subject'));
      await other.waiting(1);
      expect(await valueIn(lease)).toBe('old');
      await other.commit();
      await waiting;
      expect(await valueIn(lease)).toBe('new subject');
      expect((await watch.stop()).statements).toHaveLength(1);
    }));

  it('leaves nothing when it is rolled back, and ends once', () =>
    onLease(async (lease, subject) => {
      const other = await lease.begin();
      await other.run(change('other'));
      const waiting = subject.query(change('subject'));
      await other.waiting(1);
      await other.rollback();
      await waiting;
      await other.rollback();
      await other.commit();
      expect(await valueIn(lease)).toBe('old subject');
      await expect(other.run('SELECT 1')).rejects.toThrow('not queryable');
    }));

  it('sees all that wait for one row, although they wait for each other, and each session once', () =>
    onLease(async (lease, subject) => {
      const second = new StandIn(await loadDriver(), lease.site as PostgresSite);
      const other = await lease.begin();
      await other.run(change('other'));
      expect(await subject.errorOf(`SET lock_timeout = 60; ${change('in vain')}`)).toContain('lock timeout');
      const both = [subject.query(`SET lock_timeout = 0; ${change('subject')}`)];
      const two = other.waiting(2).then(() => 'two');
      await other.waiting(1);
      expect(await Promise.race([two, 'one'])).toBe('one');
      both.push(second.query(change('subject')));
      expect(await two).toBe('two');
      const never = other.waiting(3);
      await other.commit();
      await never;
      await Promise.all(both);
      expect(await valueIn(lease)).toBe('old other subject subject');
      await second.end();
    }));

  it('lets go of its locks when the lease is released', async () => {
    const { lease, subject } = await engines.lease(where, things);
    const other = await lease.begin();
    await other.run('LOCK TABLE things');
    await lease.release();
    await expect(other.run('SELECT 1')).rejects.toThrow('not queryable');
    await subject.end();
  });

  it('says of a lock of the subject that it was left', () =>
    onLease(async (lease, subject) => {
      await subject.query(`BEGIN; ${change('subject')}`);
      const other = await lease.begin();
      await expect(other.run(change('other'))).rejects.toThrow(LeftLocked);
      await subject.query('ROLLBACK');
    }));
});
