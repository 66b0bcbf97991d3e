import { describe, expect, test } from 'vitest';
import type { CallersTransaction } from '../port.ts';
import { bodiesOf, messages, TestSubject } from './fixtures/sqlite-subject.ts';

/** A statement of the caller's own. */
const own = (text: string) => `INSERT INTO messages (slot, body, created_at) VALUES (0, '"${text}"', 0)`;

/** A subject behind a mutant, and a transaction in which its caller has written a row. */
async function held(mutant: string): Promise<{ subject: TestSubject; transaction: CallersTransaction }> {
  const subject = new TestSubject(mutant);
  // What a mutant prepares when it is opened it has done before the caller begins.
  await subject.sendBatch([]);
  const transaction = await subject.port.begin!();
  await transaction.run(own('earlier'));
  return { subject, transaction };
}

describe('with a caller’s transaction', () => {
  test('begin-inside commits what the caller has written before', async () => {
    const { subject, transaction } = await held('begin-inside');
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    expect(subject.bodies()).toEqual(['earlier']);
    await transaction.rollback();
    expect(subject.bodies()).toEqual(['earlier']);
    expect(subject.lies).toBe(1);
  });

  test('begin-inside tells no lie where there is nothing to commit', async () => {
    const subject = new TestSubject('begin-inside');
    const transaction = await subject.port.begin!();
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    await transaction.commit();
    expect(subject.bodies()).toEqual(bodiesOf(0, 1));
    expect(subject.lies).toBe(0);
  });

  test('own-connection finds the caller’s lock in its way', async () => {
    const { subject, transaction } = await held('own-connection');
    const came = await subject.sendBatch(messages(2), { transaction: transaction.handle });
    expect(came).toMatchObject({ threw: expect.stringContaining('locked') });
    await transaction.rollback();
    expect(subject.lies).toBe(1);
  });

  test('status-after-the-fact leaves a row when the caller rolls back, and none when he commits', async () => {
    const { subject, transaction } = await held('status-after-the-fact');
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    await transaction.rollback();
    expect(subject.bodies()).toEqual([null]);
    expect(subject.lies).toBe(1);
    const another = await held('status-after-the-fact');
    await another.subject.sendBatch(messages(2), { transaction: another.transaction.handle });
    await another.transaction.commit();
    expect(another.subject.bodies()).toEqual(['earlier', ...bodiesOf(0, 1)]);
    expect(another.subject.lies).toBe(0);
  });

  test('held-failure-returned returns outcomes', async () => {
    const subject = new TestSubject('held-failure-returned');
    subject.refuse('token-1');
    const transaction = await subject.port.begin!();
    const came = await subject.sendBatch(messages(2), { transaction: transaction.handle });
    expect(came).toMatchObject({ outcomes: [{ failed: expect.any(Error) }, { failed: expect.any(Error) }] });
    await transaction.rollback();
    expect(await subject.sendBatch(messages(2))).toHaveProperty('threw');
    expect(subject.lies).toBe(1);
  });

  test('no-savepoint leaves the first half when the second fails', async () => {
    const subject = new TestSubject('no-savepoint');
    subject.refuse('token-3');
    const transaction = await subject.port.begin!();
    expect(await subject.sendBatch(messages(4), { transaction: transaction.handle })).toHaveProperty('threw');
    await transaction.commit();
    expect(subject.bodies()).toEqual(bodiesOf(0, 1));
    expect(subject.lies).toBe(1);
  });

  test('one-savepoint-name undoes at the second failure what came after the first', async () => {
    const subject = new TestSubject('one-savepoint-name');
    subject.refuse('token-1');
    const transaction = await subject.port.begin!();
    await transaction.run(own('before'));
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    await transaction.run(own('between'));
    await subject.sendBatch(messages(1), { transaction: transaction.handle });
    expect(subject.lies).toBe(0);
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    await transaction.run(own('after'));
    await transaction.commit();
    expect(subject.bodies()).toEqual(['before', 'after']);
    expect(subject.lies).toBe(1);
  });

  test('single-on-its-own finds the caller’s lock in its way, and only with a single send', async () => {
    const { subject, transaction } = await held('single-on-its-own');
    await subject.sendBatch(messages(2), { transaction: transaction.handle });
    expect(subject.lies).toBe(0);
    const send = async () => subject.port.send!(messages(1)[0]!, { transaction: transaction.handle });
    await expect(send()).rejects.toThrow('locked');
    expect(subject.lies).toBe(1);
    await transaction.commit();
    expect(subject.bodies()).toEqual(['earlier', ...bodiesOf(0, 1)]);
  });

  test('rolls-back-for-the-caller takes what he wrote before a batch that failed', async () => {
    const subject = new TestSubject('rolls-back-for-the-caller');
    subject.refuse('token-1');
    const transaction = await subject.port.begin!();
    await transaction.run(own('earlier'));
    expect(await subject.sendBatch(messages(2), { transaction: transaction.handle })).toHaveProperty('threw');
    await transaction.run(own('later'));
    await transaction.commit();
    expect(subject.bodies()).toEqual(['later']);
    expect(subject.lies).toBe(1);
  });

  test('commits-for-the-caller leaves him nothing to end', async () => {
    const { subject, transaction } = await held('commits-for-the-caller');
    await subject.sendBatch(messages(1), { transaction: transaction.handle });
    expect(subject.bodies()).toEqual(['earlier', ...bodiesOf(0)]);
    await expect(transaction.rollback()).rejects.toThrow();
    expect(subject.lies).toBe(1);
  });

  test('closes-the-handle lets the caller do nothing more', async () => {
    const { subject, transaction } = await held('closes-the-handle');
    await subject.sendBatch(messages(1), { transaction: transaction.handle });
    await expect(transaction.run(own('later'))).rejects.toThrow('the connection is closed');
    await expect(transaction.commit()).rejects.toThrow('the connection is closed');
    expect(subject.bodies()).toEqual([]);
    expect(subject.lies).toBe(1);
  });

  test('foreign-handle-accepted stores what should have been refused', async () => {
    const { subject, transaction } = await held('foreign-handle-accepted');
    await transaction.commit();
    await subject.sendBatch(messages(1), { transaction: transaction.handle });
    await subject.sendBatch(messages(2).slice(1), { transaction: {} });
    expect(subject.bodies()).toEqual(['earlier', ...bodiesOf(0, 1)]);
    expect(subject.lies).toBe(2);
  });
});

test.each([
  'begin-inside',
  'own-connection',
  'status-after-the-fact',
  'held-failure-returned',
  'no-savepoint',
  'one-savepoint-name',
  'single-on-its-own',
  'held-keys-looked-up-outside',
  'rolls-back-for-the-caller',
  'commits-for-the-caller',
  'closes-the-handle',
  'foreign-handle-accepted',
])('%s keeps to the truth about a batch without a transaction', async (mutant) => {
  const subject = new TestSubject(mutant);
  expect(subject.bodiesById(await subject.sendBatch(messages(3)))).toEqual(bodiesOf(0, 1, 2));
  subject.refuse('token-1');
  expect(await subject.sendBatch(messages(2))).toHaveProperty('threw');
  expect(subject.lies).toBe(0);
});
