import { expect, test } from 'vitest';
import type { Message, SendBatchPort } from '../../index.ts';
import { openVariant, send, told } from './fixtures/open-variant.ts';

const keyed = (key: string): Message => ({ body: `body of ${key}`, dedupeKey: key });

/** A transaction of the caller's that holds a key. */
async function holding(sender: SendBatchPort, ...keys: string[]) {
  const transaction = await sender.begin!();
  const { handle } = transaction;
  await send(sender, keys.map(keyed), { transaction: handle });
  return { ...transaction, handle };
}

test('who meets a key of an open transaction waits: after its rollback he stores, after its commit he is told', async () => {
  const { store, sender } = await openVariant('everything');
  const first = await holding(sender, 'k');
  const waiting = send(sender, [keyed('k')]);
  await first.rollback();
  const [outcome] = await waiting;
  expect(outcome).toMatchObject({ stored: store.rows('messages')[0]!.messageId });

  const second = await holding(sender, 'l');
  const loser = send(sender, [keyed('l')]);
  await second.commit();
  const stored = store.rows('messages')[1]!;
  expect(told(await loser)).toEqual([{ duplicate: stored.messageId }]);
  expect(store.rows('messages')).toHaveLength(2);
});

test('an id of the caller is waited for as a key is, and is an error when it is taken then', async () => {
  const { sender } = await openVariant('everything');
  const transaction = await sender.begin!();
  await send(sender, [{ body: 1, id: 'mine' }], { transaction: transaction.handle });
  const waiting = send(sender, [{ body: 2 }, { body: 3, id: 'mine' }]);
  await transaction.commit();
  await expect(waiting).rejects.toMatchObject({ code: 'ID_TAKEN', position: 1, retryable: false });
});

test('who cannot wait is refused with an error that is retryable', async () => {
  const { store, sender } = await openVariant('everything');
  const holder = await holding(sender, 'k');
  expect(() => sender.sendBatchSync!([keyed('k')], {})).toThrow(expect.objectContaining({ retryable: true }));
  await holder.rollback();
  expect(sender.sendBatchSync!([keyed('k')], {})).toMatchObject([{ stored: expect.any(String) }]);
  expect(store.openTransactions).toBe(0);
});

test('of two transactions that wait for each other one is refused with an error that is retryable', async () => {
  const { sender } = await openVariant('everything');
  const [one, other] = [await holding(sender, 'a'), await holding(sender, 'b')];
  const waiting = send(sender, [keyed('b')], { transaction: one.handle });
  const closing = send(sender, [keyed('a')], { transaction: other.handle });
  await expect(closing).rejects.toMatchObject({ name: 'StoreError', retryable: true });
  await other.rollback();
  expect(await waiting).toMatchObject([{ stored: expect.any(String) }]);
  await one.commit();
});

test('two batches over the same keys in opposite orders do not wait for each other', async () => {
  const { store, sender } = await openVariant('everything');
  const keys = ['a', 'b', 'c'].map(keyed);
  const [one, other] = await Promise.all([send(sender, keys), send(sender, keys.toReversed())]);
  const ids = one.map((outcome) => ('stored' in outcome ? outcome.stored : undefined));
  expect(told(other)).toEqual(ids.toReversed().map((duplicate) => ({ duplicate })));
  expect(store.rows('messages')).toHaveLength(3);
});

test('a call that is aborted while it waits for a key rejects at once and leaves nothing open', async () => {
  const { store, sender } = await openVariant('everything');
  const holder = await holding(sender, 'k');
  const controller = new AbortController();
  const waiting = send(sender, [keyed('k')], { signal: controller.signal });
  controller.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  expect(store.openTransactions).toBe(1);
  await holder.rollback();
  const begun: string[] = [];
  store.hooks.add({
    around(operation, run) {
      begun.push(operation.kind);
      return run();
    },
  });
  await expect(send(sender, [keyed('k')], { signal: controller.signal })).rejects.toThrow('no longer wanted');
  expect(begun).toEqual([]);
});

test("a batch that fails in the caller's transaction throws and takes only itself back", async () => {
  const { store, sender } = await openVariant('everything');
  const transaction = await sender.begin!();
  const { handle } = transaction;
  await send(sender, [keyed('before')], { transaction: handle });
  let rows = 0;
  const refusal = {
    beforeRow() {
      if (++rows === 2) throw new Error('refused by the store');
    },
  };
  store.hooks.add(refusal);
  const failing = send(sender, [keyed('a'), keyed('b')], { transaction: handle, chunkSize: 1 });
  await expect(failing).rejects.toThrow('refused by the store');
  store.hooks.delete(refusal);
  await send(sender, [keyed('after')], { transaction: handle });
  expect(store.rows('messages')).toEqual([]);
  await transaction.commit();
  expect(store.rows('messages').map((row) => row.dedupeKey)).toEqual(['before', 'after']);
  expect(store.rows('statuses')).toHaveLength(2);
});

test('a transaction that has ended, is of another store, or is none at all is refused', async () => {
  const { store, sender } = await openVariant('everything');
  const ended = await holding(sender, 'k');
  await ended.rollback();
  const foreign = await holding((await openVariant('everything')).sender, 'k');
  const refusals = [
    [ended.handle, 'the transaction has ended'],
    [foreign.handle, 'the transaction is one of another store'],
    [{}, 'the transaction is none of this store'],
    [null, 'the transaction is none of this store'],
  ] as const;
  for (const [transaction, message] of refusals) {
    await expect(send(sender, [keyed('k')], { transaction })).rejects.toThrow(message);
  }
  expect(store.rows('messages')).toEqual([]);
});

test('no statement carries more rows than the chunk size; a bad one is refused or means the default', async () => {
  const sizes = async (variant: string, chunkSize?: number) => {
    const { store, sender } = await openVariant(variant);
    const found: number[] = [];
    store.hooks.add({
      around(operation, run) {
        const result = run();
        if (operation.table === 'messages' && Array.isArray(result) && operation.kind === 'insert') {
          found.push(result.length);
        }
        return result;
      },
    });
    const messages = Array.from({ length: 250 }, (_, body) => ({ body }));
    await send(sender, messages, chunkSize === undefined ? {} : { chunkSize });
    return found;
  };
  expect(await sizes('everything')).toEqual([100, 100, 50]);
  expect(await sizes('everything', 125)).toEqual([125, 125]);
  expect(await sizes('everything', 1_000_000)).toEqual([250]);
  expect(await sizes('replace-duplicates', 200)).toEqual([200, 50]);
  for (const bad of [0, -1, Number.NaN, 1.5]) {
    await expect(sizes('everything', bad)).rejects.toThrow('chunkSize');
    expect(await sizes('replace-duplicates', bad)).toEqual([250]);
  }
  await expect(sizes('refuse-duplicates', 10)).resolves.toEqual([]);
});

test('a batch above the limit is refused whole', async () => {
  const { store, sender } = await openVariant('replace-duplicates');
  const messages = Array.from({ length: 1001 }, (_, body) => ({ body }));
  await expect(send(sender, messages)).rejects.toThrow('at most 1000 messages, and this one has 1001');
  expect(store.rows('messages')).toEqual([]);
  expect(await send(sender, messages.slice(1))).toHaveLength(1000);
});

test('what refuses duplicates tells so in every outcome, and stores nothing of the batch', async () => {
  const { store, sender } = await openVariant('refuse-duplicates');
  await send(sender, [{ ...keyed('k'), destination: 'orders' }]);
  const outcomes = await send(sender, [keyed('other'), { ...keyed('k'), destination: 'letters' }]);
  const failure = { failed: expect.objectContaining({ code: 'DUPLICATE_KEY', position: 1 }) };
  expect(outcomes).toEqual([failure, failure]);
  expect(store.rows('messages')).toHaveLength(1);
});

test('what replaces duplicates gives the row everything but its id', async () => {
  const { store, sender } = await openVariant('replace-duplicates');
  const [first] = await send(sender, [{ body: 'old', dedupeKey: 'Key', priority: 1, route: 'r' }]);
  const id = 'stored' in first! ? first.stored : undefined;
  expect(told(await send(sender, [{ body: 'new', dedupeKey: 'key ', priority: 2 }]))).toEqual([{ duplicate: id }]);
  const rows = store.rows('messages');
  expect(rows).toMatchObject([{ messageId: id, body: '"new"', dedupeKey: 'key ', priority: 2, route: null }]);
  expect(store.rows('statuses')).toEqual([]);
});
