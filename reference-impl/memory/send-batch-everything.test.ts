import { beforeEach, expect, test } from 'vitest';
import type { Message, SendBatchPort } from '../../index.ts';
import type { Store } from '../../memory.ts';
import { openVariant, send, told } from './fixtures/open-variant.ts';

let store: Store;
let sender: SendBatchPort;

beforeEach(async () => {
  ({ store, sender } = await openVariant('everything'));
});

const ids = () => store.rows('messages').map((row) => row.messageId);

test("the caller's own ids are kept as they are spelled, others are drawn, and a taken one is an error", async () => {
  const outcomes = await send(sender, [{ body: 1, id: ' 007 ' }, { body: 2 }, { body: 3, id: 'ABC' }]);
  expect(told(outcomes)).toEqual(ids().map((stored) => ({ stored })));
  expect(ids()).toEqual([' 007 ', expect.stringMatching(/^[0-9a-f-]{36}$/), 'ABC']);
  await expect(send(sender, [{ body: 4 }, { body: 5, id: 'ABC' }])).rejects.toMatchObject({ position: 1 });
  await expect(
    send(sender, [
      { body: 4, id: 'x' },
      { body: 5, id: 'x' },
    ]),
  ).rejects.toMatchObject({ position: 1 });
  expect(ids()).toHaveLength(3);
});

test('a batch with keys and own ids can be sent again', async () => {
  const batch = [{ body: 1, id: 'mine', dedupeKey: 'k' }];
  await send(sender, batch);
  expect(told(await send(sender, batch))).toEqual([{ duplicate: 'mine' }]);
});

test('outcomes tell the key and the correlation id of their messages', async () => {
  const batch = [
    { body: 1, dedupeKey: 'k', correlationId: 'c' },
    { body: 2, dedupeKey: 'k' },
  ];
  expect((await send(sender, batch)).map(({ about }) => about)).toEqual([
    { dedupeKey: 'k', correlationId: 'c' },
    { dedupeKey: 'k', correlationId: null },
  ]);
});

test("columns of the user's own stand beside the store's, which they cannot take", async () => {
  await send(sender, [{ body: 1, columns: { tenant: 't', weight: 2, express: false, note: null } }, { body: 2 }]);
  const [first, second] = store.rows('messages');
  expect(first).toMatchObject({ tenant: 't', weight: 2, express: false, note: null });
  expect(second).not.toHaveProperty('tenant');
  const refusals: [Record<string, unknown>, string][] = [
    [{ receipt: 'x' }, "the column receipt is not the user's own"],
    [{ id: 1 }, "the column id is not the user's own"],
    [{ tenant: {} }, 'column tenant is no text, number, boolean or null'],
  ];
  for (const [columns, message] of refusals) {
    await expect(send(sender, [{ body: 1, columns }])).rejects.toThrow(message);
  }
});

test('a job is registered once for each message that asks and is stored', async () => {
  const batch: Message[] = [{ body: 1, job: 'nightly', dedupeKey: 'k' }, { body: 2 }, { body: 3, job: 'nightly' }];
  await send(sender, batch);
  await send(sender, batch.slice(0, 1));
  const [first, , third] = ids();
  expect(store.rows('jobs')).toMatchObject([
    { name: 'nightly', messageId: first },
    { name: 'nightly', messageId: third },
  ]);
});

test('a destination that is not there fails the batch before any write', async () => {
  const batch = [
    { body: 1, destination: 'orders' },
    { body: 2, destination: 'nowhere' },
  ];
  await expect(send(sender, batch)).rejects.toMatchObject({
    position: 1,
    message: expect.stringContaining('there is no destination "nowhere"'),
  });
  expect(store.rows('messages')).toEqual([]);
});

test('every message has a receipt of its own, and the context in which it was sent', async () => {
  const batch = Array.from({ length: 5 }, (_, body) => ({ body }));
  await sender.inContext!('tenant 1', () => send(sender, batch));
  await sender.inContext!('tenant 2', () => sender.send!({ body: 5 }, {}));
  await send(sender, [{ body: 6 }]);
  const rows = store.rows('messages');
  expect(rows.map((row) => row.context)).toEqual([...Array(5).fill('tenant 1'), 'tenant 2', null]);
  expect(new Set(rows.map((row) => row.receipt)).size).toBe(7);
});

test('messages are received once, in the order in which they were inserted, when they are due', async () => {
  const batch = Array.from({ length: 12 }, (_, body): Message => ({ body }));
  await send(sender, [{ body: 'later', delay: 60_000 }, ...batch, { body: 'expired', expiration: 0 }]);
  const bodies = async (count: number) => (await sender.receive!(count)).map(({ body }) => body);
  expect(await bodies(1)).toEqual([0]);
  expect(await bodies(5)).toEqual([1, 2, 3, 4, 5]);
  expect(await bodies(100)).toEqual([6, 7, 8, 9, 10, 11]);
  expect(await bodies(100)).toEqual([]);
  expect(store.rows('messages').map((row) => row.body)).toEqual(['"later"', '"expired"']);
  const statuses = store.rows('statuses').map((row) => row.status);
  expect(statuses).toEqual(['waiting', ...Array(12).fill('received'), 'waiting']);
});

test('the synchronous call stores and tells what the other one does', async () => {
  const batch: Message[] = [
    { body: 1, id: 'a', dedupeKey: 'k' },
    { body: 2, id: 'b', dedupeKey: 'k' },
  ];
  const other = await openVariant('everything');
  expect(sender.sendBatchSync!(batch, {})).toEqual(await send(other.sender, batch));
  const rows = (of: Store) => of.rows('messages').map(({ receipt, createdAt, ...row }) => row);
  expect(rows(store)).toEqual(rows(other.store));
});

test('what was accepted is stored by a flush, and what a flush could not store by the next', async () => {
  sender.accept!([{ body: 1, dedupeKey: 'k' }], {});
  expect(() => sender.accept!([{ body: undefined }], {})).toThrow('message 0 cannot be stored');
  expect(() => sender.accept!([{ body: 1 }], { chunkSize: 1 })).toThrow('option chunkSize is not supported');
  expect(store.rows('messages')).toEqual([]);
  const refusal = {
    beforeCommit() {
      throw new Error('refused by the store');
    },
  };
  store.hooks.add(refusal);
  await expect(sender.flush!()).rejects.toThrow('refused by the store');
  store.hooks.delete(refusal);
  sender.accept!([{ body: 1, dedupeKey: 'k' }, { body: 2 }], {});
  const [first, second, third] = await sender.flush!();
  const [one, two] = ids();
  expect(told([first!, second!, third!])).toEqual([{ stored: one }, { duplicate: one }, { stored: two }]);
  expect(await sender.flush!()).toEqual([]);
});

test('its own reading is that of the probe', async () => {
  await send(sender, [{ body: { a: 1 }, id: 'mine', headers: { h: 1 }, columns: { tenant: 't' } }]);
  const { messageId, ...row } = store.rows('messages')[0]!;
  expect(await sender.read!()).toEqual([{ ...row, id: messageId }]);
  expect(messageId).toBe('mine');
});
