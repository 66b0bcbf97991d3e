import { describe, expect, it } from 'vitest';
import { LeftLocked } from '../../contracts/kernel/engine.ts';
import { modes } from './engine.ts';
import { inThread } from './fixtures/in-thread.ts';

const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';

describe.each(modes)("a caller's own table in mode %s", (mode) => {
  it('shows what was committed, in order, and not what was rolled back', async () => {
    await using t = await inThread(mode, schema);
    const own = await t.lease.callersTable();
    expect(await own.texts()).toEqual([]);
    t.db.exec(`BEGIN; ${own.insert('b')}; ${own.insert('a')}; COMMIT`);
    t.db.exec(`BEGIN; ${own.insert('c')}; ROLLBACK`);
    expect(await own.texts()).toEqual(['a', 'b']);
  });

  it('is the same when it is asked for again, and empty when it was wiped', async () => {
    await using t = await inThread(mode, schema);
    t.db.exec((await t.lease.callersTable()).insert('a'));
    expect(await (await t.lease.callersTable()).texts()).toEqual(['a']);
    await t.lease.wipe();
    expect(await (await t.lease.callersTable()).texts()).toEqual([]);
  });

  it('is content as any other: it is counted and restored', async () => {
    await using t = await inThread(mode, schema);
    const own = await t.lease.callersTable();
    const empty = await t.lease.snapshot();
    t.db.exec(own.insert('a'));
    expect((await t.lease.snapshot()).tables).toEqual({ things: 0, callers_own: 1 });
    await t.lease.restore(empty);
    expect(await own.texts()).toEqual([]);
  });
});

it('another reader sees nothing of an open transaction', async () => {
  await using t = await inThread('file', `PRAGMA journal_mode = WAL; ${schema}`);
  const own = await t.lease.callersTable();
  t.db.exec(`BEGIN; ${own.insert('a')}`);
  expect(await own.texts()).toEqual([]);
  t.db.exec('COMMIT');
  expect(await own.texts()).toEqual(['a']);
});

it('in shared memory an open transaction keeps the other reader out', async () => {
  await using t = await inThread('shared', schema);
  const own = await t.lease.callersTable();
  t.db.exec(`BEGIN; ${own.insert('a')}`);
  await expect(own.texts()).rejects.toThrow(LeftLocked);
  t.db.exec('COMMIT');
  expect(await own.texts()).toEqual(['a']);
});

it('the only connection to a private database sees its own rows at once', async () => {
  await using t = await inThread('memory', schema);
  const own = await t.lease.callersTable();
  t.db.exec(`BEGIN; ${own.insert('a')}`);
  expect(await own.texts()).toEqual(['a']);
});
