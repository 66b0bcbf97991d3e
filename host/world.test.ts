import { describe, expect, test } from 'vitest';
import { Opaque } from './codec.ts';
import { hostFor, openSubject, ownThread } from './fixtures/test-hosts.ts';

const hour = 3_600_000;

describe.each(ownThread)("the clock of a %s host's subject", (kind) => {
  async function twice(world: { clockShift?: number; clockStandsAt?: number }): Promise<number[]> {
    const subject = await openSubject(await hostFor(kind, 'echo', { world }), 'plain');
    const looks = [await subject.call('now', []), await subject.call('now', [])];
    return looks.flatMap((settled) => (settled as { value: number[] }).value);
  }

  test('is ahead', async () => {
    const before = Date.now();
    const instants = await twice({ clockShift: hour });
    for (const instant of instants) {
      expect(instant).toBeGreaterThanOrEqual(before + hour);
      expect(instant).toBeLessThanOrEqual(Date.now() + hour);
    }
  });

  test('stands still', async () => {
    expect(await twice({ clockStandsAt: 1_700_000_000_123 })).toEqual(Array(4).fill(1_700_000_000_123));
  });
});

test.each([{ clockShift: 1 }, { clockStandsAt: 1 }])('an inline host has the clock of the judge: %o', async (world) => {
  await expect(async () => hostFor('inline', 'echo', { world })).rejects.toThrow('the clock of the judge');
});

test('a synchronous call is not awaited: a promise is no list of outcomes', async () => {
  const subject = await openSubject(await hostFor('worker', 'echo'), 'plain');
  expect(await subject.call('sendBatchSync', [[], {}])).toEqual({ value: new Opaque('Promise { [] }') });
});
