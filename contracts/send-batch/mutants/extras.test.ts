import { expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { MemorySubject } from './fixtures/memory-subject.ts';

const batch = (count: number, more: (slot: number) => Partial<Message> = () => ({})): Message[] =>
  Array.from({ length: count }, (_, slot) => ({ body: slot, ...more(slot) }));

test('correlation-id-of-the-neighbour tells the next one, and stores the right one', async () => {
  const subject = new MemorySubject('correlation-id-of-the-neighbour');
  const outcomes = await subject.port.sendBatch(
    batch(3, (slot) => ({ correlationId: `c${slot}` })),
    {},
  );
  expect(outcomes.map(({ about }) => about?.correlationId)).toEqual(['c1', 'c2', 'c0']);
  expect(subject.rows().map(({ correlationId }) => correlationId)).toEqual(['c0', 'c1', 'c2']);
  await subject.port.sendBatch(batch(3), {});
  expect(subject.lies).toBe(1);
});

test('received-in-text-order sorts by id', async () => {
  const subject = new MemorySubject('received-in-text-order');
  await subject.port.sendBatch(
    batch(3, (slot) => ({ id: `${11 - slot}` })),
    {},
  );
  expect((await subject.port.receive!(3)).map(({ id }) => id)).toEqual(['10', '11', '9']);
  expect(subject.lies).toBe(1);
});

test('inserted-backwards reports each id in its slot', async () => {
  const subject = new MemorySubject('inserted-backwards');
  const outcomes = await subject.port.sendBatch(batch(3), {});
  expect(subject.bodies()).toEqual([2, 1, 0]);
  const ids = subject.rows().map(({ messageId }) => messageId);
  expect(outcomes).toEqual(ids.toReversed().map((stored) => expect.objectContaining({ stored })));
  await subject.port.sendBatch(
    batch(2, () => ({ priority: 1 })),
    {},
  );
  expect(subject.bodies().slice(3)).toEqual([0, 1]);
  expect(subject.lies).toBe(1);
});

test('sync-path-drops-priority leaves the other call alone', async () => {
  const subject = new MemorySubject('sync-path-drops-priority');
  const messages = batch(2, () => ({ priority: 7 }));
  subject.port.sendBatchSync!(messages, {});
  await subject.port.sendBatch(messages, {});
  expect(subject.rows().map(({ priority }) => priority)).toEqual([null, null, 7, 7]);
  expect(subject.lies).toBe(1);
});

test('caller-id-replaced leaves a single message alone', async () => {
  const subject = new MemorySubject('caller-id-replaced');
  await subject.port.sendBatch(
    batch(4, (slot) => ({ id: `mine-${slot}` })),
    {},
  );
  await subject.port.sendBatch(
    batch(1, () => ({ id: 'mine' })),
    {},
  );
  const ids = subject.rows().map(({ messageId }) => String(messageId));
  expect(ids.map((id) => id.startsWith('mine'))).toEqual([false, false, false, false, true]);
  expect(subject.lies).toBe(1);
});

test('caller-id-matched-as-text finds only what is in lower case', async () => {
  const subject = new MemorySubject('caller-id-matched-as-text');
  const outcomes = await subject.port.sendBatch(
    [
      { body: 1, id: 'ab' },
      { body: 2, id: 'AB' },
    ],
    {},
  );
  expect(outcomes).toEqual([expect.objectContaining({ stored: 'ab' }), { failed: expect.any(Error) }]);
  expect(subject.bodies()).toEqual([1, 2]);
  expect(subject.lies).toBe(1);
});

test.each([
  ['caller-id-overwrites', [3, 4, 5]],
  ['caller-id-skipped', [0, 1, 4]],
])('%s tells all as stored where an id is taken', async (id, stored) => {
  const subject = new MemorySubject(id);
  const send = (messages: Message[]) => subject.port.sendBatch(messages, {});
  await send([{ body: 0, id: 'a' }]);
  expect(subject.lies).toBe(0);
  const outcomes = await send([
    { body: 1, id: 'b' },
    { body: 2, id: 'a' },
    { body: 3, id: 'b' },
    { body: 4 },
    { body: 5, id: 'a' },
  ]);
  expect(outcomes).toMatchObject(['b', 'a', 'b', undefined, 'a'].map((id) => ({ stored: id ?? expect.any(String) })));
  expect(subject.bodies()).toEqual(stored);
  expect(subject.lies).toBe(1);
});

test('racing-outcomes-exchanged tells the truth of a batch alone', async () => {
  const subject = new MemorySubject('racing-outcomes-exchanged');
  const send = async (prefix: string) => {
    const messages = batch(2, (slot) => ({ correlationId: `${prefix}${slot}` }));
    return (await subject.port.sendBatch(messages, {})).map(({ about }) => about?.correlationId);
  };
  expect(await Promise.all([send('a'), send('b')])).toEqual([
    ['a0', 'b1'],
    ['b0', 'a1'],
  ]);
  expect(await send('c')).toEqual(['c0', 'c1']);
  expect(subject.lies).toBe(1);
});

test('ambient-context-forgotten leaves single messages alone', async () => {
  const subject = new MemorySubject('ambient-context-forgotten');
  const { inContext, sendBatch } = subject.port;
  await inContext!('here', async () => sendBatch(batch(2), {}));
  await inContext!('here', async () => sendBatch(batch(1), {}));
  expect(subject.rows().map(({ context }) => context)).toEqual([null, null, 'here']);
  expect(subject.lies).toBe(1);
});

test('one-default-for-all leaves ids, and messages with options, alone', async () => {
  const subject = new MemorySubject('one-default-for-all');
  await subject.port.sendBatch(batch(3), {});
  await subject.port.sendBatch(
    batch(2, () => ({ priority: 1 })),
    {},
  );
  const rows = subject.rows();
  expect(new Set(rows.slice(0, 3).map(({ receipt }) => receipt)).size).toBe(1);
  expect(new Set(rows.map(({ receipt }) => receipt)).size).toBe(3);
  expect(new Set(rows.map(({ messageId }) => messageId)).size).toBe(5);
  expect(subject.lies).toBe(1);
});

test('falsy-is-absent drops blanks, and nothing else', async () => {
  const subject = new MemorySubject('falsy-is-absent');
  await subject.port.sendBatch([{ body: 0, priority: 0, route: '', headers: {}, correlationId: 'c' }], {});
  expect(subject.rows()).toMatchObject([{ body: '0', priority: null, route: null, headers: null, correlationId: 'c' }]);
  await subject.port.sendBatch([{ body: '', priority: 1 }], {});
  expect(subject.lies).toBe(1);
});

test.each(['empty-key-is-none', 'empty-id-is-none'])('%s', async (mutant) => {
  const subject = new MemorySubject(mutant);
  const option = mutant === 'empty-key-is-none' ? 'dedupeKey' : 'id';
  await subject.port.sendBatch(
    [
      { body: 1, [option]: '' },
      { body: 2, [option]: 'given' },
    ],
    {},
  );
  const field = option === 'id' ? 'messageId' : 'dedupeKey';
  const absent = option === 'id' ? expect.stringMatching(/.{36}/) : null;
  expect(subject.rows()).toMatchObject([{ [field]: absent }, { [field]: 'given' }]);
  expect(subject.lies).toBe(1);
});

test('null-is-the-text-null changes null, and nothing else', async () => {
  const subject = new MemorySubject('null-is-the-text-null');
  await subject.port.sendBatch([{ body: null }, { body: [0, null] }, { body: 0 }], {});
  expect(subject.bodies()).toEqual(['null', [0, 'null'], 0]);
  await subject.port.sendBatch([{ body: false }], {});
  expect(subject.lies).toBe(1);
});

test('cache-keeps-failed-rows reads what has failed', async () => {
  const subject = new MemorySubject('cache-keeps-failed-rows');
  await subject.port.sendBatch([{ body: 'a' }], {});
  expect(await subject.port.read!()).toHaveLength(1);
  await expect(subject.port.sendBatch(batch(2), { chunkSize: -1 })).rejects.toThrow('chunkSize');
  expect((await subject.port.read!()).map(({ body }) => body)).toEqual(['"a"', 0, 1]);
  expect(subject.bodies()).toEqual(['a']);
  expect(subject.lies).toBe(1);
});

test.each([
  ['chunk-option-ignored', 2, undefined],
  ['option-is-the-number-of-chunks', 2, 5],
  ['chunks-of-two', 5, 2],
  ['bad-chunk-size-is-one', 0, 1],
])('%s', async (mutant, asked, used) => {
  const { sendBatchMutants } = await import('./index.ts');
  const sizes: unknown[] = [];
  let lies = 0;
  const subject = {
    sendBatch: (_messages: unknown, { chunkSize }: { chunkSize?: number }) => {
      sizes.push(chunkSize);
      return [];
    },
  };
  const tools = { lied: () => (lies += 1) } as never;
  const { sendBatch } = sendBatchMutants.find(({ id }) => id === mutant)!.wrap(subject, tools) as typeof subject;
  await sendBatch(batch(10), { chunkSize: asked });
  await sendBatch(batch(10), {});
  expect(sizes).toEqual([used, undefined]);
  expect(lies).toBe(1);
});
