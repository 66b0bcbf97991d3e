import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import { examine } from './doctor.ts';
import { modes, SqliteEngine } from './engine.ts';

let engine: SqliteEngine;
beforeEach(() => {
  engine = new SqliteEngine({});
});
afterEach(() => engine.stop());

describe.each(modes)('mode %s', (mode) => {
  it('is found sound', async () => {
    const checks = await engine.examine(mode);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    const names = checks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const expected = ['lease is isolated', 'restore restores', 'read is independent', 'clock is sane'];
    for (const kind of ['trigger', 'unique', 'not-null', 'check']) expected.push(`row fault (${kind}) fires`);
    expected.push('commit fault fires', 'commit fault is disarmed', 'rollback fault fires');
    if (mode !== 'memory') expected.push('lock fault fires');
    if (mode === 'file') expected.push('crash fault fires');
    expect(names).toEqual(expect.arrayContaining(expected));
  });
});

/** The checks that fail on leases that are spoiled in one way. */
async function failing(spoil: (lease: Lease) => Partial<Lease>): Promise<string[]> {
  const checks = await examine(async () => {
    const lease = await engine.lease({ mode: 'file' });
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(lease)) as (keyof Lease)[];
    const bound = Object.fromEntries(
      members
        .filter((name) => typeof lease[name] === 'function')
        .map((name) => [name, (lease[name] as (...args: unknown[]) => unknown).bind(lease)]),
    );
    return { facts: lease.facts, site: lease.site, rowFaults: ['trigger'], ...bound, ...spoil(lease) } as Lease;
  });
  return checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

describe('the doctor finds', () => {
  it('nothing on a lease that is only passed through', async () => {
    expect(await failing(() => ({}))).toEqual([]);
  });

  it('a restore that does nothing', async () => {
    expect(await failing(() => ({ restore: async () => {} }))).toContain('restore restores');
  });

  it('a read that answers from memory', async () => {
    const broken = await failing(() => ({ read: async () => ({ rows: [{}] }) }));
    expect(broken).toEqual(expect.arrayContaining(['read is independent', 'lease is isolated']));
  });

  it('faults that do not fire, and one that says that it did', async () => {
    const sprung = async () => ({ count: 1, rowsBefore: 1, raised: 1 });
    const broken = await failing(() => ({ arm: async () => ({ nonce: 'x', sprung, disarm: async () => {} }) }));
    expect(broken).toEqual([
      'row fault (trigger) fires',
      'row fault on update fires',
      'commit fault fires',
      'lock fault fires',
      'rollback fault fires',
      'crash fault fires',
    ]);
  });

  it('faults that are not counted', async () => {
    const broken = await failing((lease) => ({
      arm: async (fault) => ({
        ...(await lease.arm(fault)),
        sprung: async () => ({ count: 0, rowsBefore: 0, raised: 0 }),
      }),
    }));
    expect(broken).toEqual([
      'row fault (trigger) fires',
      'row fault on update fires',
      'commit fault fires',
      'lock fault fires',
      'rollback fault fires',
      'crash fault fires',
    ]);
  });

  it('a trap that stays', async () => {
    const broken = await failing((lease) => ({
      arm: async (fault) => {
        const armed = await lease.arm(fault);
        return fault.at === 'row' ? { ...armed, disarm: async () => {} } : armed;
      },
    }));
    expect(broken).toContain('row fault (trigger) is disarmed');
  });
});
