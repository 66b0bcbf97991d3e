import { beforeEach, describe, expect, it } from 'vitest';
import { Store } from './store.ts';

let store: Store;
beforeEach(() => {
  store = new Store('test');
  store.createTable('things');
});

describe('a lock', () => {
  it('is free again once its transaction has ended, by commit or rollback', async () => {
    for (const end of ['commit', 'rollback'] as const) {
      const [first, second] = [store.begin(), store.begin()];
      await first.lock('a');
      await first.lock('a');
      expect(second.tryLock('a')).toBe(false);
      expect(second.tryLock('b')).toBe(true);
      first[end]();
      expect(second.tryLock('a')).toBe(true);
      second[end]();
    }
  });

  it('goes to one of those that wait, and then to the next', async () => {
    const [first, second, third] = [store.begin(), store.begin(), store.begin()];
    await first.lock('a');
    const order: string[] = [];
    const waiting = [second, third].map(async (transaction, i) => {
      await transaction.lock('a');
      order.push(`got it: ${i}`);
      await Promise.resolve();
      order.push(`gave it: ${i}`);
      transaction.commit();
    });
    first.commit();
    await Promise.all(waiting);
    expect(order).toEqual(['got it: 0', 'gave it: 0', 'got it: 1', 'gave it: 1']);
  });

  it('is refused, as retryable, where the holder waits for the one who asks, over others too', async () => {
    const [first, second, third] = [store.begin(), store.begin(), store.begin()];
    await first.lock('a');
    await second.lock('b');
    await third.lock('c');
    const waiting = [first.lock('b'), second.lock('c')];
    await expect(third.lock('a')).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    third.rollback();
    await waiting[1];
    second.rollback();
    await waiting[0];
  });

  it('is no longer waited for when the signal fires, and may be asked for again', async () => {
    const [first, second] = [store.begin(), store.begin()];
    await first.lock('a');
    const controller = new AbortController();
    const waiting = second.lock('a', controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(second.lock('a', controller.signal)).rejects.toThrow('enough');
    first.rollback();
    await second.lock('a');
    expect(first.isOpen).toBe(false);
  });

  it('is not taken by a transaction that ended while it waited', async () => {
    const [first, second, third] = [store.begin(), store.begin(), store.begin()];
    await first.lock('a');
    const waiting = second.lock('a');
    second.rollback();
    first.rollback();
    await expect(waiting).rejects.toThrow('lock: the transaction has ended');
    expect(third.tryLock('a')).toBe(true);
  });
});

describe('a part of a transaction', () => {
  it('is undone alone when it throws', () => {
    const transaction = store.begin();
    const id = transaction.insert('things', { a: 1 });
    const fails = () =>
      transaction.part(() => {
        transaction.update('things', id, { a: 2 });
        transaction.insert('things', { a: 3 });
        throw new Error('refused');
      });
    expect(fails).toThrow('refused');
    expect(fails).toThrow('refused');
    expect(transaction.part(() => transaction.insert('things', { a: 4 }))).toBeGreaterThan(id);
    transaction.commit();
    expect(store.rows('things')).toMatchObject([{ id, a: 1 }, { a: 4 }]);
  });

  it('that is undone is not seen by a commit', () => {
    store.createTable('others');
    const seen: string[][] = [];
    store.hooks.add({ beforeCommit: (tables) => void seen.push([...tables]) });
    const transaction = store.begin();
    transaction.insert('things', {});
    const fails = () =>
      transaction.part(() => {
        transaction.insert('others', {});
        throw new Error('refused');
      });
    expect(fails).toThrow('refused');
    transaction.commit();
    expect(seen).toEqual([['things']]);
  });
});

it('reads those of its rows that a test picks, in the order of their ids', () => {
  const transaction = store.begin();
  const ids = transaction.insertMany(
    'things',
    [3, 1, 2].map((a) => ({ a })),
  );
  expect(transaction.rows('things', ({ a }) => a !== 1)).toEqual([
    { id: ids[0], a: 3 },
    { id: ids[2], a: 2 },
  ]);
});

it('knows its own store', () => {
  const transaction = store.begin();
  expect(transaction.belongsTo(store)).toBe(true);
  expect(transaction.belongsTo(new Store('test'))).toBe(false);
});
