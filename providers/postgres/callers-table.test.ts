import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { Engine } from '../provider.ts';
import type { PostgresSite } from '../sites.ts';
import { loadDriver } from './driver.ts';
import { type SomebodysServer, somebodysServer } from './fixtures/plain-role.ts';
import { postgres } from './index.ts';
import { StandIn } from './stand-in.ts';

let theirs: SomebodysServer;
const engines: Record<string, Engine> = {};

beforeAll(async () => {
  theirs = await somebodysServer();
  engines['a private server'] = await postgres.start({ provision: 'embedded' });
  engines['a plain role by URL'] = await postgres.start({ url: theirs.url });
});
afterAll(async () => {
  for (const engine of Object.values(engines)) await engine.stop();
  await theirs.stop();
});

describe.each(['a private server', 'a plain role by URL'])("a caller's own table on %s", (where) => {
  async function onLease(work: (lease: Lease, subject: StandIn) => Promise<void>): Promise<void> {
    const lease = await engines[where]!.lease({ mode: 'direct' });
    const subject = new StandIn(await loadDriver(), lease.site as PostgresSite);
    try {
      await work(lease, subject);
    } finally {
      await subject.end();
      await lease.release();
    }
  }

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
