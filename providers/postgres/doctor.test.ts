import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import { LeftLocked } from '../../contracts/kernel/engine.ts';
import type { DoctorCheck, Engine } from '../provider.ts';
import { examine } from './doctor.ts';
import { loadDriver } from './driver.ts';
import { postgres } from './index.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

/** Examines leases that are spoiled before they are handed out. */
async function examined(spoil: (lease: Lease, taken: Lease[]) => Lease = (lease) => lease): Promise<DoctorCheck[]> {
  const taken: Lease[] = [];
  return examine(await loadDriver(), async () => {
    const lease = await engine.lease({ mode: 'direct' });
    taken.push(lease);
    return spoil(lease, taken);
  });
}

/** The lease with some of its members replaced. */
const changed = (lease: Lease, members: Partial<Lease>): Lease =>
  new Proxy(lease, {
    get: (target, name) => {
      const value = Reflect.get(members, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const failed = (checks: DoctorCheck[]): string[] => checks.filter(({ ok }) => !ok).map(({ name }) => name);

it('finds an engine in good health, by every fault that it has', async () => {
  const checks = await examined();
  expect(failed(checks)).toEqual([]);
  const names = checks.map(({ name }) => name);
  for (const kind of ['trigger', 'unique', 'not-null', 'check', 'too-long', 'session-ended']) {
    expect(names).toContain(`row fault (${kind}) fires`);
    expect(names).toContain(`row fault (${kind}) is disarmed`);
  }
  for (const name of ['cut (before-sent)', 'cut (before-ack)', 'hold', 'abort (idle-timeout)', 'abort (terminated)'])
    expect(names).toContain(`${name} fires`);
  for (const name of ['commit fault', 'lock fault', 'identity fault', 'session fault'])
    expect(names).toContain(`${name} fires`);
});

it('finds out a restore that does nothing', async () => {
  expect(failed(await examined((lease) => changed(lease, { restore: async () => {} })))).toEqual(['restore restores']);
});

it('finds out reads that go elsewhere', async () => {
  const names = failed(await examined((lease, [first]) => changed(lease, { read: (sql) => first!.read(sql) })));
  expect(names).toContain('lease is isolated');
});

it('finds out faults that never fire, and faults that stay', async () => {
  const never = failed(
    await examined((lease) =>
      changed(lease, {
        arm: async () => ({
          nonce: '',
          sprung: async () => ({ count: 1, rowsBefore: 0, raised: 1 }),
          disarm: async () => {},
        }),
      }),
    ),
  );
  expect(never).toEqual(expect.arrayContaining(['row fault (unique) fires', 'commit fault fires', 'lock fault fires']));
  expect(never).toEqual(expect.arrayContaining(['cut (before-sent) fires', 'abort (lock-timeout) fires']));
  expect(never).toEqual(expect.arrayContaining(['identity fault fires', 'session fault fires']));
  const stays = failed(
    await examined((lease) =>
      changed(lease, {
        arm: async (fault) => {
          const armed = await lease.arm(fault);
          return fault.at === 'commit' ? { ...armed, disarm: async () => {} } : armed;
        },
      }),
    ),
  );
  expect(stays).toContain('commit fault is disarmed');
});

it('finds out a wire that nobody sees, and goes on after an error', async () => {
  const watch = async () => ({ stop: async () => ({ statements: [], samples: [], commits: 0 }) });
  expect(failed(await examined((lease) => changed(lease, { watch })))).toEqual(['wire is seen']);
  const snapshot = async () => {
    throw new LeftLocked('locked');
  };
  const checks = await examined((lease) => changed(lease, { snapshot }));
  expect(checks.filter(({ ok }) => !ok)).toEqual([
    { name: 'restore restores', ok: false, detail: 'LeftLocked: locked' },
  ]);
});
