import { describe, expect, it } from 'vitest';
import { errorOf, type InThread, inThread } from './fixtures/in-thread.ts';

const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';
const insert = 'INSERT INTO things (value) VALUES (0)';

function count({ db }: InThread): unknown {
  return db.prepare('SELECT count(*) AS n FROM things').get()?.n;
}

describe.each(['file', 'shared'] as const)('the lock in mode %s', (mode) => {
  it('keeps every write from running until it is disarmed, and does not keep the judge from reading', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'lock' });
    for (let i = 0; i < 2; i++) expect(errorOf(() => t.db.exec(insert))).toContain('database is locked');
    expect(await t.lease.read('SELECT count(*) AS n FROM things')).toEqual({ rows: [{ n: 0 }] });
    expect(await armed.sprung()).toEqual({ count: 2, rowsBefore: 0, raised: 2 });
    await expect(t.lease.arm({ at: 'commit', table: 'things' })).rejects.toThrow('the lock must be disarmed first');
    await armed.disarm();
    await armed.disarm();
    t.db.exec(insert);
    expect(count(t)).toBe(1);
  });

  it('knows who needs it, each connection once', async () => {
    await using t = await inThread(mode, schema);
    const other = t.open();
    const armed = await t.lease.arm({ at: 'lock' });
    const seen: number[] = [];
    const waiting = [1, 2].map((n) => armed.waiting!(n).then(() => seen.push(n)));
    t.db.exec('BEGIN');
    // A reader needs it where there is no write-ahead log.
    expect(errorOf(() => count(t))).toBe(mode === 'file' ? null : 'database is locked');
    if (mode === 'file') other.exec('SELECT count(*) FROM things');
    for (let i = 0; i < 2; i++) expect(errorOf(() => t.db.exec(insert))).toContain('database is locked');
    await waiting[0];
    expect(seen).toEqual([1]);
    expect(errorOf(() => other.exec('BEGIN IMMEDIATE'))).toContain('database is locked');
    await waiting[1];
    expect(seen).toEqual([1, 2]);
    t.db.exec('ROLLBACK');
    await armed.disarm();
  });

  it('is let go with the lease', async () => {
    await using t = await inThread(mode, schema);
    await t.lease.arm({ at: 'lock' });
    await t.lease.release();
    t.db.exec(insert);
    expect(count(t)).toBe(1);
  });
});
