import { expect, it } from 'vitest';
import type { EngineFacts } from './capabilities.ts';
import type { Lease } from './engine.ts';
import { linedUp } from './lined-up.ts';

const facts: EngineFacts = { provider: 'fake', mode: 'fake', version: '1', lacks: {} };

/** A lease with a lock that tells when it is armed and disarmed, and whose queue the test fills. */
function leaseWithLock(log: string[]) {
  const queue = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = {
    nonce: '',
    waiting: (sessions: number) => queue[sessions - 1]!.promise,
    disarm: async () => void log.push('disarmed'),
  };
  const arm = async () => {
    log.push('armed');
    return lock;
  };
  return { lease: { arm } as unknown as Lease, waits: (sessions: number) => queue[sessions - 1]!.resolve() };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('lets go only when the last session waits, however late it begins', async () => {
  const log: string[] = [];
  const { lease, waits } = leaseWithLock(log);
  const call = Promise.withResolvers<string>();
  const calls = linedUp({ facts, lease, sessions: 2 }, () => call.promise);
  await turn();
  waits(1);
  await turn();
  expect(log).toEqual(['armed']);
  waits(2);
  await turn();
  expect(log).toEqual(['armed', 'disarmed']);
  call.resolve('both');
  expect(await calls).toBe('both');
});

it('lets go when the calls have settled without waiting, and passes on what they threw', async () => {
  const log: string[] = [];
  const calls = linedUp({ facts, lease: leaseWithLock(log).lease, sessions: 2 }, () => Promise.reject(new Error('no')));
  await expect(calls).rejects.toThrow('no');
  expect(log).toEqual(['armed', 'disarmed']);
});

it('has its patience with who does not come, but only once the first waits', async () => {
  const log: string[] = [];
  const { lease, waits } = leaseWithLock(log);
  const calls = linedUp({ facts, lease, sessions: 2, patience: 0 }, async () => {
    log.push('begun');
    waits(1);
    return 'one after the other';
  });
  expect(await calls).toBe('one after the other');
  expect(log).toEqual(['armed', 'begun', 'disarmed']);
});

it('arms nothing where there are no locks', async () => {
  const log: string[] = [];
  const lockless = { ...facts, lacks: { lock: 'no locks' } };
  expect(await linedUp({ facts: lockless, lease: leaseWithLock(log).lease, sessions: 2 }, async () => 1)).toBe(1);
  expect(log).toEqual([]);
});
