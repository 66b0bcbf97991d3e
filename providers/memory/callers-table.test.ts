import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { MemorySite } from '../sites.ts';
import { agent } from './agent.ts';
import { MemoryEngine } from './engine.ts';
import { openStore, type Store } from './store.ts';

let lease: Lease;
let store: Store;

beforeEach(async () => {
  lease = await new MemoryEngine().lease({ mode: 'memory' });
  await lease.attach({ call: async (method, args) => agent.call(lease.site, method, args) });
  store = openStore((lease.site as MemorySite).name);
});
afterEach(() => lease.release());

it('shows what was committed, in order, nothing of an open transaction, and not what was rolled back', async () => {
  const own = await lease.callersTable();
  expect(await own.texts()).toEqual([]);
  const kept = store.begin();
  kept.run(own.insert('b'));
  kept.run(own.insert('a'));
  expect(await own.texts()).toEqual([]);
  kept.commit();
  const dropped = store.begin();
  dropped.run(own.insert('c'));
  dropped.rollback();
  expect(await own.texts()).toEqual(['a', 'b']);
});

it('is the same when it is asked for again, and empty when it was wiped', async () => {
  const transaction = store.begin();
  transaction.run((await lease.callersTable()).insert('a'));
  transaction.commit();
  expect(await (await lease.callersTable()).texts()).toEqual(['a']);
  expect((await lease.snapshot()).tables).toEqual({ callers_own: 1 });
  await lease.wipe();
  expect(await (await lease.callersTable()).texts()).toEqual([]);
});

it('says so when its table has gone', async () => {
  const own = await lease.callersTable();
  await lease.wipe();
  await expect(own.texts()).rejects.toThrow("the caller's own table is not there: no such table: callers_own");
});
