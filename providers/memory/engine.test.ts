import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { MemorySite } from '../sites.ts';
import { agent } from './agent.ts';
import { examine } from './doctor.ts';
import { MemoryEngine } from './engine.ts';
import { openStore, type Store } from './store.ts';

const engine = new MemoryEngine();
let lease: Lease;
let store: Store;
let leave: () => Promise<void>;

beforeEach(async () => {
  lease = await engine.lease({ mode: 'memory' });
  leave = await lease.attach({ call: async (method, args) => agent.call(lease.site, method, args) });
  store = openStore((lease.site as MemorySite).name);
});
afterEach(() => lease.release());

function insert(count: number): void {
  const transaction = store.begin();
  try {
    transaction.insertMany(
      'things',
      Array.from({ length: count }, (_, value) => ({ value })),
    );
    transaction.commit();
  } catch (cause) {
    transaction.rollback();
    throw cause;
  }
}

describe('a lease', () => {
  it('is quiet once no transaction is open, and says so', async () => {
    const transaction = store.begin();
    const quiet = lease.quiet();
    transaction.rollback();
    expect((await quiet).words).toContain('no transaction is open');
    store.begin();
    expect((await lease.quiet()).words).toContain('1 transaction stayed open');
  });

  it('reads as missing before its table is there, and after it was wiped', async () => {
    expect(await lease.read('things')).toEqual({ missing: 'no such table: things' });
    store.createTable('things');
    insert(1);
    expect(await lease.read('things')).toEqual({ rows: [{ id: 1, value: 0 }] });
    expect(await lease.read('things by value')).toEqual({ rows: [{ id: 0 }] });
    await lease.wipe();
    expect(await lease.read('things')).toEqual({ missing: 'no such table: things' });
    await leave();
    expect(await lease.read('things')).toEqual({ missing: 'no host holds the store' });
  });

  it('restores rows with their ids, empties tables made since, and gives no id out twice', async () => {
    store.createTable('things');
    insert(2);
    const before = await lease.snapshot();
    expect(before.tables).toEqual({ things: 2 });
    store.createTable('later');
    insert(3);
    await lease.restore(before);
    expect((await lease.snapshot()).tables).toEqual({ things: 2, later: 0 });
    insert(1);
    expect(store.rows('things').map((row) => row.id)).toEqual([1, 2, 6]);
    agent.hand(lease.site).restore({ things: [] });
    expect(store.rows('things')).toEqual([]);
  });

  it('is gone with its release, unless it is kept', async () => {
    store.createTable('things');
    await lease.release({ keep: true });
    expect(openStore(store.name)).toBe(store);
    await lease.release();
    expect(openStore(store.name)).not.toBe(store);
  });

  it('is gone from hosts that have left it, too', async () => {
    await leave();
    await lease.release();
    expect(openStore(store.name)).not.toBe(store);
  });
});

describe('faults', () => {
  beforeEach(() => store.createTable('things'));

  it('at a row: fires at the n-th and later ones, or once', async () => {
    const always = await lease.arm({ at: 'row', table: 'things', nth: 3, kind: 'trigger' });
    expect(() => insert(5)).toThrow(always.nonce);
    expect(() => insert(1)).toThrow(always.nonce);
    expect(await always.sprung()).toEqual({ count: 2, rowsBefore: 2, raised: 2 });
    await always.disarm();
    await always.disarm();
    const once = await lease.arm({ at: 'row', table: 'things', nth: 3, kind: 'trigger', once: true });
    expect(() => insert(5)).toThrow(once.nonce);
    insert(5);
    expect(await once.sprung()).toEqual({ count: 1, rowsBefore: 2, raised: 1 });
    expect(await always.sprung()).toEqual({ count: 2, rowsBefore: 2, raised: 2 });
    expect(store.rows('things')).toHaveLength(5);
  });

  it.each([1, 2])(
    'at a row that is changed: fires at number %i, and not at inserts or at rows that are not there',
    async (nth) => {
      insert(3);
      const armed = await lease.arm({ at: 'row', on: 'update', table: 'things', nth, kind: 'trigger', once: true });
      insert(1);
      const change = () => {
        const transaction = store.begin();
        try {
          expect(transaction.update('things', 99, { value: 'changed' })).toBe(false);
          for (const id of [1, 2, 3]) transaction.update('things', id, { value: 'changed' });
          transaction.commit();
        } catch (cause) {
          transaction.rollback();
          throw cause;
        }
      };
      expect(change).toThrow(armed.nonce);
      expect(store.rows('things').map(({ value }) => value)).toEqual([0, 1, 2, 0]);
      change();
      expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: nth - 1, raised: 1 });
      expect(store.rows('things').map(({ value }) => value)).toEqual(['changed', 'changed', 'changed', 0]);
    },
  );

  it('at a poisoned row: fires whenever the row is sent, and lets all others pass', async () => {
    const armed = await lease.arm({ at: 'poison', table: 'things', text: 'bad-1' });
    const send = (...values: unknown[]) => {
      const transaction = store.begin();
      for (const value of values) transaction.insert('things', { value });
      transaction.commit();
    };
    send('bad-2', { deep: 'bad' });
    expect(() => send('good', { deep: ['a bad-1 one'] })).toThrow(armed.nonce);
    expect(() => send(new TextEncoder().encode('bad-1'))).toThrow(armed.nonce);
    send('good');
    expect(await armed.sprung()).toEqual({ count: 2, rowsBefore: 3, raised: 2 });
    expect(store.rows('things').map(({ value }) => value)).toEqual(['bad-2', { deep: 'bad' }, 'good']);
  });

  it('at the commit: refuses the next that holds a row of the table', async () => {
    store.createTable('others');
    const armed = await lease.arm({ at: 'commit', table: 'things' });
    const other = store.begin();
    other.insert('others', {});
    other.commit();
    expect(() => insert(2)).toThrow(armed.nonce);
    insert(1);
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 2, raised: 1 });
    expect(store.rows('things')).toHaveLength(1);
  });

  it('at the rollback: refuses the next one, whose transaction stays open', async () => {
    const armed = await lease.arm({ at: 'rollback' });
    const transaction = store.begin();
    transaction.insert('things', {});
    expect(() => transaction.rollback()).toThrow(armed.nonce);
    expect(transaction.isOpen).toBe(true);
    transaction.rollback();
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 0, raised: 1 });
    expect(store.rows('things')).toEqual([]);
  });

  it('armed before a host came are armed in it', async () => {
    await leave();
    const armed = await lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    insert(1);
    await lease.attach({ call: async (method, args) => agent.call(lease.site, method, args) });
    expect(() => insert(1)).toThrow(armed.nonce);
  });

  it('of a serialization is worth another try, of a trigger is not', async () => {
    for (const [kind, retryable] of [
      ['serialization', true],
      ['trigger', false],
    ] as const) {
      const armed = await lease.arm({ at: 'row', table: 'things', nth: 1, kind });
      expect(() => insert(1)).toThrow(expect.objectContaining({ name: 'StoreError', retryable }));
      await armed.disarm();
    }
  });

  it('that the store has not are refused with the reason', async () => {
    for (const fault of [{ at: 'lock' }, { at: 'crash', point: { statement: 1 } }] as const)
      await expect(lease.arm(fault)).rejects.toMatchObject({ name: 'NotApplicable', by: 'engine' });
    await expect(lease.begin()).rejects.toMatchObject({ name: 'NotApplicable', message: /no session beside/ });
    const unique = lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'unique' });
    await expect(unique).rejects.toMatchObject({ name: 'NotApplicable', message: /unique/ });
    expect(() => engine.facts('disk')).toThrow('memory has no mode disk');
  });
});

describe('recordings', () => {
  beforeEach(() => store.createTable('things'));

  it('hold the operations with their rows, errors and times', async () => {
    const watch = await lease.watch();
    insert(3);
    const transaction = store.begin();
    expect(() => transaction.insert('absent', {})).toThrow('no such table');
    transaction.rollback();
    const { statements, samples } = await watch.stop();
    expect(statements.map(({ kind, text, rows, failed }) => [kind, text, rows, failed])).toEqual([
      ['begin', 'begin', undefined, undefined],
      ['write', 'insert things', 3, undefined],
      ['commit', 'commit', undefined, undefined],
      ['begin', 'begin', undefined, undefined],
      ['write', 'insert absent', undefined, 'no such table: absent'],
      ['rollback', 'rollback', undefined, undefined],
    ]);
    expect(samples).toEqual([]);
    const times = statements.flatMap((s) => [s.startedMs, s.endedMs]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('sample between and inside operations, and see nothing before the commit', async () => {
    const watch = await lease.watch({ tables: ['things'] });
    insert(100);
    const { samples } = await watch.stop();
    const inFlight = samples.filter((s) => s.inFlight);
    expect(inFlight.length).toBeGreaterThan(10);
    for (const { found } of inFlight) expect(found).toEqual({ rows: [{ things: 0 }] });
    expect(samples.at(-1)).toEqual({ statements: 3, inFlight: false, found: { rows: [{ things: 100 }] } });
  });

  it('sample by statement, and say what is missing', async () => {
    const [rows, absent] = [await lease.watch({ statement: 'things' }), await lease.watch({ tables: ['absent'] })];
    insert(1);
    expect((await rows.stop()).samples.at(-1)?.found).toEqual({ rows: [{ id: 1, value: 0 }] });
    expect((await absent.stop()).samples[0]?.found).toEqual({ missing: 'no such table: absent' });
    expect(store.hooks.size).toBe(0);
  });
});

describe('the doctor', () => {
  it('finds the engine sound', async () => {
    const checks = await engine.examine('memory');
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.length).toBeGreaterThan(6);
  });

  it.each([
    ['restore restores', { restore: async () => {} }],
    ['read is independent', { read: async () => ({ rows: [] }) }],
    [
      'fault at row fires',
      {
        arm: async () => ({
          nonce: 'x',
          sprung: async () => ({ count: 1, rowsBefore: 0, raised: 1 }),
          disarm: async () => {},
        }),
      },
    ],
  ] as [string, Partial<Lease>][])('finds that not: %s', async (name, spoiled) => {
    const checks = await examine(async () => Object.assign(await engine.lease({ mode: 'memory' }), spoiled));
    expect(checks.filter(({ ok }) => !ok).map((check) => check.name)).toContain(name);
  });
});
