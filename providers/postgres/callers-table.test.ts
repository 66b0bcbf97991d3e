import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import { places, startEngines, type TestEngines } from './fixtures/engines.ts';
import type { StandIn } from './stand-in.ts';

let engines: TestEngines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

describe.each(places)("a caller's own table on %s", (where) => {
  // No tables but the caller's own.
  const onLease = (work: (lease: Lease, subject: StandIn) => Promise<void>) => engines.onLease(where, '', work);

  it('shows what the subject has committed, nothing of an open transaction, and not what was rolled back', () =>
    onLease(async (lease, subject) => {
      const own = await lease.callersTable();
      expect(await own.texts()).toEqual([]);
      await subject.query(`BEGIN; ${own.insert('b')}; ${own.insert('a')}`);
      expect(await own.texts()).toEqual([]);
      await subject.query('COMMIT');
      await subject.query(`BEGIN; ${own.insert('c')}; ROLLBACK`);
      expect(await own.texts()).toEqual(['a', 'b']);
    }));

  it('is found wherever the subject looks for its tables', () =>
    onLease(async (lease, subject) => {
      const own = await lease.callersTable();
      await subject.query(`SET search_path = public; ${own.insert('a')}`);
      expect(await own.texts()).toEqual(['a']);
    }));

  it('is the same when it is asked for again, is restored, and is empty when it was wiped', () =>
    onLease(async (lease, subject) => {
      const own = await lease.callersTable();
      const empty = await lease.snapshot();
      await subject.query(own.insert('a'));
      expect(await (await lease.callersTable()).texts()).toEqual(['a']);
      expect((await lease.snapshot()).tables).toEqual({ callers_own: 1 });
      await lease.restore(empty);
      expect(await own.texts()).toEqual([]);
      await lease.wipe();
      expect(await (await lease.callersTable()).texts()).toEqual([]);
    }));
});
