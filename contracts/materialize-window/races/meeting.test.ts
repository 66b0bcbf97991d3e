import { expect, test } from 'vitest';
import type { OtherTransaction } from '../../kernel/engine.ts';
import { Vacuous } from '../../kernel/guard.ts';
import { changesOne, isRetryable, meeting } from './meeting.ts';

/** A transaction whose end lets go of whoever waits for it. */
function held({ rows = 1, waits = true } = {}) {
  const steps: string[] = [];
  let letGo = () => {};
  const ended = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const end = (how: string) => async () => {
    steps.push(how);
    letGo();
  };
  const transaction: OtherTransaction = {
    run: async () => rows,
    waiting: () => (waits ? Promise.resolve() : new Promise(() => {})),
    commit: end('commit'),
    rollback: end('rollback'),
  };
  return { transaction, ended, steps };
}

test('a call that waits for a transaction is let go by its end, and was seen to wait', async () => {
  const { transaction, ended, steps } = held();
  const call = () => ended.then(() => 'came');
  expect(await meeting(transaction, 'rollback', call)).toEqual({ came: 'came', waited: true });
  expect(steps).toEqual(['rollback']);
});

test('a call that does not wait was not seen to, and the transaction ends all the same', async () => {
  const { transaction, steps } = held({ waits: false });
  expect(await meeting(transaction, 'commit', async () => 'at once')).toEqual({ came: 'at once', waited: false });
  expect(steps).toEqual(['commit']);
});

test('a statement that changes no row leaves the guard nothing to say', async () => {
  await changesOne(held().transaction, 'cancel', 'cancel it', []);
  const changing = changesOne(held({ rows: 0 }).transaction, 'cancel', 'cancel it', []);
  await expect(changing).rejects.toThrow(new Vacuous('the statement cancel changed 0 rows, not 1'));
});

test('a failure is worth another try when it, or what caused it, says so', () => {
  const plain = { name: 'Error', message: 'no' };
  expect(isRetryable({ threw: { ...plain, cause: { ...plain, retryable: true } } })).toBe(true);
  expect(isRetryable({ threw: plain })).toBe(false);
  expect(isRetryable({ value: { retryable: true } })).toBe(false);
});
