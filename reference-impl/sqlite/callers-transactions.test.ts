import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallersTransaction, Message, SendBatchPort } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
import { directoryPerTest } from './fixtures/directory-per-test.ts';
import backend from './index.ts';

let directory: string;
let path: string;
let reader: DatabaseSync;
let sender: SendBatchPort;

directoryPerTest((own) => {
  directory = own;
  path = join(directory, 'messages.db');
});
afterEach(() => {
  sender.close?.();
  reader.close();
});

function opened(variant: string, mode = 'file', at = path): Promise<SendBatchPort> {
  return openVariant(backend, variant, { provider: 'sqlite', mode, path: at });
}

const begin = () => sender.begin!() as CallersTransaction;

function count(): Record<string, unknown> {
  const statement = `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM message_headers) AS headers,
                            (SELECT count(*) FROM own) AS own`;
  return { ...reader.prepare(statement).get() };
}

const batch = Array.from({ length: 250 }, (_, i): Message => ({ body: i, dedupeKey: `k${i}`, headers: { i } }));

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(async () => {
    sender = await opened(variant);
    reader = new DatabaseSync(path);
    reader.exec('CREATE TABLE own (n INTEGER)');
  });

  test('nothing is there before the caller commits, all of it afterwards', () => {
    const transaction = begin();
    transaction.run('INSERT INTO own VALUES (1)');
    expect(sender.sendBatch(batch, { transaction: transaction.handle })).toHaveLength(250);
    expect(sender.send!({ body: 'one' }, { transaction: transaction.handle })).toEqual({ stored: 251n });
    transaction.run('INSERT INTO own VALUES (2)');
    expect(count()).toEqual({ messages: 0, headers: 0, own: 0 });
    transaction.commit();
    expect(count()).toEqual({ messages: 251, headers: 250, own: 2 });
  });

  test('nothing is left when the caller rolls back', () => {
    const transaction = begin();
    transaction.run('INSERT INTO own VALUES (1)');
    sender.sendBatch(batch, { transaction: transaction.handle });
    transaction.rollback();
    expect(count()).toEqual({ messages: 0, headers: 0, own: 0 });
  });

  test('what fails inside leaves nothing, and what was there before stays', () => {
    reader.exec(`CREATE TRIGGER refusal BEFORE INSERT ON message_headers WHEN NEW.headers = '{"i":120}'
                 BEGIN SELECT RAISE(ABORT, 'refused by the engine'); END`);
    const transaction = begin();
    const options = { transaction: transaction.handle };
    transaction.run('INSERT INTO own VALUES (1)');
    sender.sendBatch(batch.slice(0, 100), options);
    expect(() => sender.sendBatch(batch, options)).toThrow('refused by the engine');
    expect(() => sender.sendBatch(batch, options)).toThrow('refused by the engine');
    sender.sendBatch(batch.slice(150), options);
    transaction.commit();
    expect(count()).toEqual({ messages: 200, headers: 200, own: 1 });
  });

  test('a key that the caller’s own transaction holds is a duplicate', () => {
    const transaction = begin();
    const options = { transaction: transaction.handle };
    sender.sendBatch([{ body: 1, dedupeKey: 'k' }], options);
    expect(sender.sendBatch([{ body: 1, dedupeKey: 'k' }], options)).toEqual([{ duplicate: 1n }]);
    transaction.commit();
  });

  test('refuses a transaction that has ended, is another store’s, or is none', async () => {
    const elsewhere = await opened(variant, 'file', join(directory, 'other.db'));
    const foreign = elsewhere.begin!() as CallersTransaction;
    const ended = begin();
    ended.commit();
    const endedBySql = begin();
    endedBySql.run('ROLLBACK');
    for (const { handle } of [foreign, ended, endedBySql, { handle: {} }, { handle: 'BEGIN' }, { handle: null }]) {
      expect(() => sender.sendBatch(batch, { transaction: handle })).toThrow('the transaction has ended, or');
    }
    foreign.rollback();
    elsewhere.close!();
    expect(count()).toEqual({ messages: 0, headers: 0, own: 0 });
  });

  test('closing ends what a caller has left open', () => {
    const transaction = begin();
    sender.sendBatch(batch, { transaction: transaction.handle });
    sender.close!();
    reader.exec('INSERT INTO own VALUES (1)');
    expect(count()).toEqual({ messages: 0, headers: 0, own: 1 });
    sender = { sendBatch: () => [] };
  });
});

test('a commit that is refused can be rolled back', async () => {
  sender = await opened('prepared');
  reader = new DatabaseSync(path);
  reader.exec(`CREATE TABLE own (n INTEGER); CREATE TABLE parent (id INTEGER PRIMARY KEY);
               CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)`);
  const transaction = begin();
  sender.sendBatch(batch, { transaction: transaction.handle });
  transaction.run('INSERT INTO child VALUES (1)');
  expect(() => transaction.commit()).toThrow('FOREIGN KEY');
  transaction.rollback();
  expect(count()).toEqual({ messages: 0, headers: 0, own: 0 });
});

test('a transaction that cannot begin leaves no connection', async () => {
  sender = await opened('prepared');
  reader = new DatabaseSync(path);
  reader.exec('BEGIN IMMEDIATE');
  expect(begin).toThrow('locked');
  reader.exec('ROLLBACK');
  const transaction = begin();
  transaction.rollback();
});

test('a private database has one connection, and no transaction of a caller’s', async () => {
  sender = await opened('prepared', 'memory', ':memory:');
  reader = new DatabaseSync(path);
  expect(begin).toThrow('not supported');
  expect(() => sender.sendBatch(batch, { transaction: {} })).toThrow('not supported');
});
