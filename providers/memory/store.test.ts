import { describe, expect, it } from 'vitest';
import { openStore, removeStore, Store, StoreError } from './store.ts';

function storeWith(table: string): Store {
  const store = new Store('test');
  store.createTable(table);
  return store;
}

describe('a transaction', () => {
  it('makes its rows visible when it commits, not before', () => {
    const store = storeWith('things');
    const transaction = store.begin();
    const id = transaction.insert('things', { a: 1 });
    expect(store.rows('things')).toEqual([]);
    expect(transaction.rows('things')).toEqual([{ id, a: 1 }]);
    transaction.commit();
    expect(store.rows('things')).toEqual([{ id, a: 1 }]);
  });

  it('drops its changes when it is rolled back, but its ids are gone', () => {
    const store = storeWith('things');
    const first = store.begin();
    const lost = first.insert('things', {});
    first.rollback();
    const second = store.begin();
    const kept = second.insert('things', {});
    second.commit();
    expect(kept).toBeGreaterThan(lost);
    expect(store.rows('things')).toEqual([{ id: kept }]);
  });

  it('updates and deletes rows, and says whether they are there', () => {
    const store = storeWith('things');
    const transaction = store.begin();
    const [a, b] = transaction.insertMany('things', [{ x: 1, y: 1 }, { x: 2 }]);
    expect(transaction.update('things', a!, { x: 3 })).toBe(true);
    expect(transaction.delete('things', b!)).toBe(true);
    expect(transaction.delete('things', b!)).toBe(false);
    expect(transaction.update('things', 99, { x: 3 })).toBe(false);
    transaction.commit();
    expect(store.rows('things')).toEqual([{ id: a, x: 3, y: 1 }]);
  });

  it('stays open after an error, with what it had before', () => {
    const store = storeWith('things');
    const transaction = store.begin();
    transaction.insert('things', { a: 1 });
    const unreadable = {
      get a(): never {
        throw new Error('unreadable');
      },
    };
    expect(() => transaction.insertMany('things', [{ a: 2 }, unreadable])).toThrow('unreadable');
    expect(() => transaction.insert('things', { a: () => 1 })).toThrow('could not be cloned');
    expect(() => transaction.insert('others', {})).toThrow('no such table: others');
    expect(transaction.isOpen).toBe(true);
    expect(transaction.rows('things')).toHaveLength(1);
  });

  it('stays open and invisible when its commit is refused', () => {
    const store = storeWith('things');
    const hook = {
      beforeCommit(tables: ReadonlySet<string>): void {
        throw new Error(`no: ${[...tables]}`);
      },
    };
    store.hooks.add(hook);
    const transaction = store.begin();
    transaction.insert('things', {});
    expect(() => transaction.commit()).toThrow('no: things');
    expect([transaction.isOpen, store.openTransactions, store.rows('things')]).toEqual([true, 1, []]);
    store.hooks.delete(hook);
    transaction.commit();
    expect([transaction.isOpen, store.openTransactions, store.rows('things').length]).toEqual([false, 0, 1]);
  });

  it('takes nothing once it has ended', () => {
    const transaction = storeWith('things').begin();
    transaction.commit();
    for (const call of [
      () => transaction.insert('things', {}),
      () => transaction.rows('things'),
      () => transaction.commit(),
      () => transaction.rollback(),
    ])
      expect(call).toThrow(StoreError);
  });

  it('commits all of its tables or none', () => {
    const store = storeWith('a');
    store.createTable('b');
    const transaction = store.begin();
    transaction.insert('a', {});
    transaction.insert('b', {});
    store.dropTable('b');
    expect(() => transaction.commit()).toThrow('no such table: b');
    expect(store.rows('a')).toEqual([]);
  });
});

describe('values', () => {
  it('are copied on the way in and on the way out', () => {
    const store = storeWith('things');
    const row = { list: [1] };
    const transaction = store.begin();
    transaction.insert('things', row);
    row.list.push(2);
    transaction.commit();
    (store.rows('things')[0]!.list as number[]).push(3);
    expect(store.rows('things')).toEqual([{ id: 1, list: [1] }]);
  });

  it('cannot give themselves an id', () => {
    const store = storeWith('things');
    const transaction = store.begin();
    const id = transaction.insert('things', { id: 'mine' });
    transaction.commit();
    expect(store.rows('things')).toEqual([{ id }]);
  });
});

describe('hooks', () => {
  it('are called around every operation, inside each other, and for every row', () => {
    const store = storeWith('things');
    const seen: string[] = [];
    for (const name of ['a', 'b']) {
      store.hooks.add({
        around: (operation, run) => {
          seen.push(`${name} ${operation.kind} ${operation.table ?? ''}`.trim());
          return run();
        },
        beforeRow: (table) => void seen.push(`${name} row ${table}`),
        beforeUpdate: (table) => void seen.push(`${name} changes ${table}`),
      });
    }
    const transaction = store.begin();
    const [id] = transaction.insertMany('things', [{}, {}]);
    transaction.update('things', id!, {});
    transaction.commit();
    expect(seen).toEqual([
      ...['b begin', 'a begin', 'b insert things', 'a insert things'],
      ...['a row things', 'b row things', 'a row things', 'b row things'],
      ...['b update things', 'a update things', 'a changes things', 'b changes things', 'b commit', 'a commit'],
    ]);
  });
});

it('a store is found again by its name until it is removed', () => {
  const store = openStore('by-name');
  expect(openStore('by-name')).toBe(store);
  expect(() => store.rows('things')).toThrow('no such table: things');
  store.createTable('things');
  store.createTable('things');
  removeStore('by-name');
  expect(openStore('by-name').tableNames()).toEqual([]);
  removeStore('by-name');
});

it('two copies of the module share the stores', async () => {
  const copy = (await import(
    `${import.meta.url.replace('store.test.ts', 'store.ts')}?copy`
  )) as typeof import('./store.ts');
  expect(copy.openStore).not.toBe(openStore);
  expect(copy.openStore('shared')).toBe(openStore('shared'));
  removeStore('shared');
});
