import type { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallersTransaction, Message, SendBatchPort } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
import { schemaPerTest } from './fixtures/schema-per-test.ts';
import type { TestSchema } from './fixtures/server.ts';
import backend from './index.ts';

let schema: TestSchema;
let admin: Client;
let sender: SendBatchPort;

schemaPerTest(async (own) => {
  schema = own;
  admin = own.admin;
  await admin.query('CREATE TABLE own (n integer)');
});
afterEach(() => sender.close?.());

function opened(variant: string): Promise<SendBatchPort> {
  return openVariant(backend, variant, schema.site);
}

async function begin(): Promise<CallersTransaction> {
  return sender.begin!();
}

async function count(): Promise<unknown> {
  const { rows } = await admin.query(`
    SELECT (SELECT count(*) FROM messages)::int AS messages, (SELECT count(*) FROM message_headers)::int AS headers,
           (SELECT count(*) FROM own)::int AS own`);
  return rows[0];
}

const nothing = { messages: 0, headers: 0, own: 0 };
const batch = Array.from({ length: 600 }, (_, i): Message => ({ body: i, dedupeKey: `k${i}`, headers: { i } }));

/** The engine refuses the row of headers that a message of the batch has. */
function refuseRow(i: number): Promise<unknown> {
  return admin.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.headers::text = '{"i":${i}}' THEN RAISE 'refused by the engine'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refusal BEFORE INSERT ON message_headers FOR EACH ROW EXECUTE FUNCTION refuse()`);
}

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(async () => {
    sender = await opened(variant);
  });

  test('nothing is there before the caller commits, all of it afterwards', async () => {
    const transaction = await begin();
    const options = { transaction: transaction.handle };
    await transaction.run('INSERT INTO own VALUES (1)');
    expect(await sender.sendBatch(batch, options)).toHaveLength(600);
    expect(await sender.sendBatch([{ body: 'no key' }], options)).toEqual([{ stored: '601' }]);
    expect(await sender.send!({ body: 'one' }, options)).toEqual({ stored: '602' });
    await transaction.run('INSERT INTO own VALUES (2)');
    expect(await count()).toEqual(nothing);
    await transaction.commit();
    expect(await count()).toEqual({ messages: 602, headers: 600, own: 2 });
  });

  test('nothing is left when the caller rolls back', async () => {
    const transaction = await begin();
    await transaction.run('INSERT INTO own VALUES (1)');
    await sender.sendBatch(batch, { transaction: transaction.handle });
    await transaction.rollback();
    expect(await count()).toEqual(nothing);
  });

  test('what fails inside throws and leaves nothing, and what was there before stays', async () => {
    await refuseRow(520);
    const transaction = await begin();
    const options = { transaction: transaction.handle };
    await transaction.run('INSERT INTO own VALUES (1)');
    await sender.sendBatch(batch.slice(0, 100), options);
    for (let i = 0; i < 2; i++) {
      await expect(async () => sender.sendBatch(batch, options)).rejects.toThrow('refused by the engine');
    }
    await expect(async () => sender.send!(batch[520]!, options)).rejects.toThrow('refused by the engine');
    await sender.sendBatch(batch.slice(550), options);
    await transaction.commit();
    expect(await count()).toEqual({ messages: 150, headers: 150, own: 1 });
  });

  test('of two batches that are sent at once, the one that fails takes nothing of the other', async () => {
    await refuseRow(520);
    const transaction = await begin();
    const options = { transaction: transaction.handle };
    const [first, second, third] = await Promise.allSettled([
      sender.sendBatch(batch.slice(0, 10), options),
      sender.sendBatch(batch.slice(500), options),
      sender.sendBatch(batch.slice(10, 20), options),
    ]);
    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await transaction.commit();
    expect(await count()).toEqual({ messages: 20, headers: 20, own: 0 });
  });

  test('the caller’s commit comes after the batch that he has sent before', async () => {
    const transaction = await begin();
    const sending = sender.sendBatch(batch, { transaction: transaction.handle });
    await transaction.commit();
    expect(await sending).toHaveLength(600);
    expect(await count()).toEqual({ messages: 600, headers: 600, own: 0 });
  });

  test('a key that the caller’s own transaction holds is a duplicate', async () => {
    const transaction = await begin();
    const options = { transaction: transaction.handle };
    await sender.sendBatch([{ body: 1, dedupeKey: 'k' }], options);
    expect(await sender.sendBatch([{ body: 1, dedupeKey: 'k' }], options)).toEqual([{ duplicate: '1' }]);
    await transaction.commit();
  });

  test('refuses a transaction that has ended, is another store’s, or is none, and a signal beside it', async () => {
    const elsewhere = await opened(variant);
    const foreign = await elsewhere.begin!();
    const ended = await begin();
    await ended.commit();
    for (const { handle } of [
      foreign,
      ended,
      { handle: admin },
      { handle: {} },
      { handle: 'BEGIN' },
      { handle: null },
    ]) {
      await expect(async () => sender.sendBatch(batch, { transaction: handle })).rejects.toThrow('has ended, or');
    }
    await expect(async () => ended.rollback()).rejects.toThrow('has ended, or');
    const transaction = await begin();
    const cancelled = { transaction: transaction.handle, signal: new AbortController().signal };
    await expect(async () => sender.sendBatch(batch, cancelled)).rejects.toThrow('would end the transaction');
    await transaction.commit();
    await foreign.rollback();
    await elsewhere.close!();
    expect(await count()).toEqual(nothing);
  });

  test('when the session ends, the batch and the commit fail', async () => {
    const transaction = await begin();
    await transaction.run('INSERT INTO own VALUES (1)');
    await schema.endSessions();
    await expect(async () => sender.sendBatch(batch, { transaction: transaction.handle })).rejects.toThrow();
    await expect(async () => transaction.commit()).rejects.toThrow();
    expect(await count()).toEqual(nothing);
  });

  test('a commit of what has failed is a failure', async () => {
    const transaction = await begin();
    await expect(async () => transaction.run('nonsense')).rejects.toThrow('syntax error');
    await expect(async () => sender.sendBatch(batch, { transaction: transaction.handle })).rejects.toThrow('aborted');
    await expect(async () => transaction.commit()).rejects.toThrow('answered COMMIT with ROLLBACK');
  });

  test('closing ends what a caller has left open', async () => {
    const transaction = await begin();
    await sender.sendBatch(batch, { transaction: transaction.handle });
    await sender.close!();
    sender = { sendBatch: () => [] };
    await admin.query('BEGIN; LOCK TABLE messages; COMMIT');
    expect(await count()).toEqual(nothing);
  });
});
