import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { messages } from './fixtures/sqlite-subject.ts';
import { behind } from './fixtures/stub.ts';

const refused = () => new Error('refused by the engine');
const threw = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as Error,
  );

describe('rollback-error-masks', () => {
  test('forgets the first error where the second is told with it', async () => {
    const both = new Error('refused by the engine; and the rollback failed: disk I/O error', { cause: refused() });
    const masked = behind('rollback-error-masks', () => Promise.reject(both));
    const error = await threw(masked.send(messages(1)));
    expect([error?.message, error?.cause]).toEqual(['disk I/O error', undefined]);
    expect(masked.counted.lies).toBe(1);
  });

  test('forgets the first error where a connection broke', async () => {
    const masked = behind('rollback-error-masks', async () => {
      await brokenOff();
      return [{ failed: refused() }, { failed: refused() }];
    });
    expect(await masked.send(messages(2))).toEqual(
      Array(2).fill({ failed: new Error('the connection was broken off') }),
    );
    expect(masked.counted.lies).toBe(1);
  });

  test('tells the truth where the rollback went well, and of what the engine did not refuse', async () => {
    const honest = behind('rollback-error-masks', () => Promise.reject(refused()));
    expect((await threw(honest.send(messages(1))))?.message).toBe('refused by the engine');
    const other = behind('rollback-error-masks', () => Promise.reject(new Error('no such table')));
    expect((await threw(other.send(messages(1))))?.message).toBe('no such table');
    expect(honest.counted.lies + other.counted.lies).toBe(0);
  });
});

/** Opens a connection that its server resets. */
async function brokenOff(): Promise<void> {
  const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  server.close();
}

describe.each([
  ['all-errors-permanent', false],
  ['all-errors-retryable', true],
] as const)('%s', (id, retryable) => {
  const classed = (said?: boolean) => Object.assign(refused(), said === undefined ? {} : { retryable: said });

  test.each([undefined, !retryable])('changes what is said of an error: %s', async (said) => {
    const original = classed(said);
    const spoiled = behind(id, () => Promise.reject(original));
    expect(await threw(spoiled.send(messages(1)))).toMatchObject({ retryable, cause: original });
    expect(spoiled.counted.lies).toBe(1);
  });

  test('leaves alone what is said already, a lost answer, and a deadlock', async () => {
    const others = [classed(retryable), Object.assign(refused(), { unknown: true }), new Error('deadlock detected')];
    for (const original of others) {
      const spoiled = behind(id, () => Promise.reject(original));
      expect(await threw(spoiled.send(messages(1)))).toBe(original);
      expect(spoiled.counted.lies).toBe(0);
    }
  });
});

describe('id-collision-skipped', () => {
  const refuseOnce = (words: string) => {
    let calls = 0;
    return (batch: readonly Message[]) => {
      calls += 1;
      if (calls === 1) throw new Error(words);
      return batch.map((_, i) => ({ stored: i + 1 }));
    };
  };

  test('leaves the first message out', async () => {
    const spoiled = behind('id-collision-skipped', refuseOnce('duplicate key value violates unique constraint "pkey"'));
    expect(await spoiled.send(messages(3))).toEqual([{ stored: null }, { stored: 1 }, { stored: 2 }]);
    expect(spoiled.counted.lies).toBe(1);
  });

  test.each(['duplicate key value violates unique constraint "contract_test_1"', 'no such table'])(
    'tells the truth of: %s',
    async (words) => {
      const spoiled = behind('id-collision-skipped', refuseOnce(words));
      expect((await threw(spoiled.send(messages(3))))?.message).toBe(words);
      expect(spoiled.counted.lies).toBe(0);
    },
  );
});
