import { expect, test } from 'vitest';
import { type Message, UnsupportedOption } from '../../index.ts';
import { openVariant, send } from './fixtures/open-variant.ts';

test('a message that fails takes no other with it, and is the one that is told so', async () => {
  const { store, sender } = await openVariant('pipeline');
  const refusal = new Error('refused by the store');
  store.hooks.add({
    beforeRow(_table, row) {
      if (row.body === '"poison"') throw refusal;
    },
  });
  const outcomes = await send(sender, [{ body: 'a' }, { body: 'poison' }, { body: undefined }, { body: 'b' }]);
  const [a, b] = store.rows('messages');
  expect([a!.body, b!.body]).toEqual(['"a"', '"b"']);
  expect(outcomes).toEqual([
    { stored: a!.id },
    { failed: refusal },
    { failed: expect.objectContaining({ name: 'MessageRefused', position: 2 }) },
    { stored: b!.id },
  ]);
  expect(store.openTransactions).toBe(0);
});

test('an option that is not offered is refused for all, before any write', async () => {
  const { store, sender } = await openVariant('pipeline');
  const outcomes = await send(sender, [{ body: 1 }, { body: 2, job: 'j' }]);
  expect(outcomes).toEqual(Array(2).fill({ failed: expect.any(UnsupportedOption) }));
  expect(store.rows('messages')).toEqual([]);
});

test('a blank priority, route or headers is none; other blanks are what they are', async () => {
  const { store, sender } = await openVariant('pipeline');
  const blank: Message = { body: '', priority: 0, route: '', headers: {}, delay: 0, correlationId: '' };
  await sender.send!(blank, {});
  await send(sender, [{ body: 1, priority: 1, route: 'r', headers: { a: 0 } }]);
  expect(store.rows('messages')).toMatchObject([
    { body: '""', priority: null, route: null, headers: null, dueAt: expect.any(Number), correlationId: '' },
    { body: '1', priority: 1, route: 'r', headers: '{"a":0}' },
  ]);
  expect(blank).toEqual({ body: '', priority: 0, route: '', headers: {}, delay: 0, correlationId: '' });
});
