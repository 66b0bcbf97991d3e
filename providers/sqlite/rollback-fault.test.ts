import { describe, expect, it } from 'vitest';
import { modes } from './engine.ts';
import { errorOf, inThread } from './fixtures/in-thread.ts';

const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';
const insert = 'INSERT INTO things (value) VALUES (1)';

describe.each(modes)('a rollback fault in mode %s', (mode) => {
  it('refuses the next rollback once, as a disk that fails would, and leaves the transaction open', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'rollback' });
    const watch = await t.lease.watch();
    t.db.exec(`BEGIN; ${insert}`);
    expect(errorOf(() => t.db.exec('ROLLBACK'))).toBe(`disk I/O error (${armed.nonce})`);
    expect(t.db.isTransaction).toBe(true);
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 0, raised: 1 });
    t.db.exec('ROLLBACK');
    const { statements } = await watch.stop();
    expect(statements.map(({ kind, failed }) => [kind, failed])).toEqual([
      ['begin', undefined],
      ['write', undefined],
      ['rollback', `disk I/O error (${armed.nonce})`],
      ['rollback', undefined],
    ]);
  });

  it('lets a part of a transaction be undone, and prepared statements meet it as well', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'rollback' });
    t.db.exec(`BEGIN; SAVEPOINT part; ${insert}; ROLLBACK TO part; RELEASE part`);
    expect((await armed.sprung()).count).toBe(0);
    const error = { code: 'ERR_SQLITE_ERROR', errcode: 10 };
    expect(() => t.db.prepare('ROLLBACK').run()).toThrow(expect.objectContaining(error));
  });

  it('is gone once it is disarmed', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'rollback' });
    await armed.disarm();
    t.db.exec(`BEGIN; ${insert}; ROLLBACK`);
    expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
  });
});
