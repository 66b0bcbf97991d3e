import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SqliteSite } from '../sites.ts';
import { driverClass } from './database.ts';
import { modes, SqliteEngine } from './engine.ts';
import { inThread } from './fixtures/in-thread.ts';

const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';

describe.each(modes)('a lease in mode %s', (mode) => {
  it('reads as missing before the subject creates its table, and after it was wiped', async () => {
    await using t = await inThread(mode);
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ missing: 'no such table: things' });
    t.db.exec(`${schema}; INSERT INTO things VALUES (1, 'x')`);
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ rows: [{ id: 1, value: 'x' }] });
    await t.lease.wipe();
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ missing: 'no such table: things' });
  });

  it('sees nothing of another, nor does restoring one change the other', async () => {
    await using a = await inThread(mode, schema);
    await using b = await inThread(mode, schema);
    const empty = await a.lease.snapshot();
    a.db.exec(`INSERT INTO things VALUES (1, 'a')`);
    b.db.exec(`INSERT INTO things VALUES (2, 'b')`);
    await a.lease.restore(empty);
    expect(await a.lease.read('SELECT * FROM things')).toEqual({ rows: [] });
    expect(await b.lease.read('SELECT * FROM things')).toEqual({ rows: [{ id: 2, value: 'b' }] });
  });

  it('snapshots, restores and analyses', async () => {
    await using t = await inThread(mode, `${schema}; CREATE INDEX by_value ON things (value)`);
    t.db.exec(`INSERT INTO things VALUES (1, 9007199254740993), (2, x'ff')`);
    const before = await t.lease.snapshot();
    expect(before.tables).toEqual({ things: 2 });
    t.db.exec('DELETE FROM things');
    await t.lease.restore(before);
    await t.lease.analyse();
    expect(await t.lease.read('SELECT value FROM things')).toEqual({
      rows: [{ value: 9007199254740993n }, { value: Uint8Array.of(255) }],
    });
    expect(await t.lease.read('SELECT tbl FROM sqlite_stat1')).toEqual({ rows: [{ tbl: 'things' }] });
    expect((await t.lease.snapshot()).tables).toEqual({ things: 2 });
  });

  it('quotes a statement that is wrong', async () => {
    await using t = await inThread(mode, schema);
    await expect(t.lease.read('SELECT wrong FROM things')).rejects.toThrow(
      'sqlite: no such column: wrong, in: SELECT wrong FROM things',
    );
  });

  it('is quiet once no transaction is open, and says so', async () => {
    await using t = await inThread(mode, schema);
    t.db.exec('BEGIN; INSERT INTO things VALUES (1, 1)');
    const quiet = t.lease.quiet();
    t.db.exec('COMMIT');
    expect((await quiet).words).toContain('no transaction is open');
    t.db.exec('BEGIN');
    expect((await t.lease.quiet()).words).toContain('1 transaction stayed open');
    t.db.exec('ROLLBACK');
  });

  it('reads by a recursive statement, and ends one that never ends', async () => {
    await using t = await inThread(mode, `${schema}; INSERT INTO things VALUES (1, 9007199254740993)`);
    const upTo = (limit: string) => `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n ${limit})
      SELECT count(*) AS n, (SELECT value FROM things) AS value FROM n`;
    expect(await t.lease.read(upTo('WHERE x < 5'))).toEqual({ rows: [{ n: 5, value: 9007199254740993n }] });
    await expect(t.lease.read(upTo(''))).rejects.toThrow('a recursive statement did not end in 5000 ms');
    if (mode !== 'memory') {
      const watch = t.lease.watch({ statement: upTo('') });
      await expect(watch).rejects.toMatchObject({ name: 'NotApplicable', by: 'engine' });
    }
  });

  it('can be released twice', async () => {
    await using t = await inThread(mode, schema);
    await t.lease.release();
    await t.lease.release();
    if (mode === 'file') expect(existsSync(t.site.path)).toBe(false);
  });
});

describe('mode file', () => {
  it('is in WAL mode before anybody has opened it', async () => {
    await using t = await inThread('file');
    expect(t.db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it('reads a file that the subject deleted and made anew', async () => {
    await using t = await inThread('file', `${schema}; INSERT INTO things VALUES (1, 'old')`);
    await t.lease.read('SELECT * FROM things');
    t.db.close();
    rmSync(t.site.path);
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ missing: 'there is no database file' });
    t.open().exec(`${schema}; INSERT INTO things VALUES (2, 'new')`);
    expect(await t.lease.read('SELECT id FROM things')).toEqual({ rows: [{ id: 2 }] });
  });
});

describe('mode shared', () => {
  it('keeps the database while the lease is held, though nobody else has it open', async () => {
    await using t = await inThread('shared', `${schema}; INSERT INTO things VALUES (1, 'x')`);
    t.db.close();
    expect(t.open().prepare('SELECT value FROM things').get()).toEqual({ value: 'x' });
  });
});

describe('mode memory', () => {
  it('reads as missing when no host is attached or no connection is open', async () => {
    await using t = await inThread('memory', schema);
    t.db.close();
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ missing: 'no connection is open' });
    expect(await t.lease.snapshot()).toEqual({ tables: {}, content: {}, virtualTables: [] });
    await t.leave();
    expect(await t.lease.read('SELECT * FROM things')).toEqual({ missing: 'no host is attached' });
  });
});

describe('the engine', () => {
  it('removes its directory when it stops, twice without harm, and leases nothing afterwards', async () => {
    const engine = new SqliteEngine({});
    const { site } = await engine.lease({ mode: 'file' });
    const directory = dirname((site as SqliteSite).path);
    await engine.stop();
    await engine.stop();
    expect(existsSync(directory)).toBe(false);
    await expect(engine.lease({ mode: 'file' })).rejects.toThrow('stopped');
  });

  it.each(['file', 'shared'] as const)('keeps a database of mode %s on request, and nothing else', async (mode) => {
    const engine = new SqliteEngine({});
    const [kept, dropped] = [await engine.lease({ mode }), await engine.lease({ mode: 'file' })];
    const path = (kept.site as SqliteSite).path;
    const db = new (driverClass())(path);
    db.exec(`${schema}; INSERT INTO things VALUES (1, 'kept')`);
    await kept.release({ keep: true });
    await dropped.release();
    db.close();
    await engine.stop();
    const [left] = engine.kept();
    const directory = left!.where;
    try {
      const reopened = new (driverClass())(join(directory, left!.name));
      expect(reopened.prepare('SELECT value FROM things').get()).toEqual({ value: 'kept' });
      reopened.close();
      expect(readdirSync(directory).filter((name) => name.endsWith('.db'))).toHaveLength(1);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('keeps all files where it was started so, but for those of its doctor', async () => {
    const engine = new SqliteEngine({ keep: true });
    await engine.examine('file');
    const leases = [await engine.lease({ mode: 'file' }), await engine.lease({ mode: 'file' })];
    for (const lease of leases) await lease.release();
    await engine.stop();
    const paths = engine.kept().map(({ name, where }) => join(where, name));
    expect(paths).toEqual(leases.map((lease) => (lease.site as SqliteSite).path));
    rmSync(dirname(paths[0]!), { recursive: true });
  });

  it('names its facts by mode, and refuses a mode that it has not', () => {
    const engine = new SqliteEngine({});
    const always = ['wire', 'identityStep', 'sessionZone', 'cut', 'hold', 'abort'];
    expect(Object.keys(engine.facts('file').lacks)).toEqual(always);
    expect(Object.keys(engine.facts('memory').lacks)).toEqual([...always, 'observer', 'lock', 'crash', 'twoHosts']);
    expect(Object.keys(engine.facts('shared').lacks)).toEqual([...always, 'crash']);
    expect(engine.facts('file').version).toMatch(/^3\.\d+/);
    expect(() => engine.facts('cloud')).toThrow('sqlite has no mode cloud; it has file, memory, shared');
    return engine.stop();
  });
});
