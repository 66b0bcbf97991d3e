import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ArmedFault } from '../../contracts/kernel/engine.ts';
import { agent } from './agent.ts';
import type { Mode } from './engine.ts';
import { errorOf, type InThread, inThread } from './fixtures/in-thread.ts';
import { rowFaults } from './traps.ts';

const modes: Mode[] = ['file', 'memory', 'shared'];
const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';
const insert = (rows: number): string =>
  `INSERT INTO things (value) SELECT value FROM json_each('${JSON.stringify(Array.from({ length: rows }, (_, i) => i))}')`;

function count({ db }: InThread): unknown {
  return db.prepare('SELECT count(*) AS n FROM things').get()?.n;
}

describe.each(modes)('row faults in mode %s', (mode) => {
  it.each(rowFaults)('%s: fires at the n-th row, with the nonce in the error', async (kind) => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 3, kind });
    const error = errorOf(() => t.db.exec(insert(5)));
    expect(error).toContain(armed.nonce);
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 2, raised: 1 });
    expect(count(t)).toBe(0);
  });

  it.each(rowFaults)('%s: cannot be swallowed by INSERT OR IGNORE, OR REPLACE or ON CONFLICT', async (kind) => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind });
    const forms = [
      'INSERT OR IGNORE INTO things VALUES (1, 1)',
      'INSERT OR REPLACE INTO things VALUES (1, 1)',
      'INSERT OR FAIL INTO things VALUES (1, 1)',
      'INSERT OR ROLLBACK INTO things VALUES (1, 1)',
      'INSERT INTO things VALUES (1, 1) ON CONFLICT DO NOTHING',
    ];
    for (const sql of forms) expect(errorOf(() => t.db.exec(sql))).toContain(armed.nonce);
    expect(await armed.sprung()).toEqual({ count: forms.length, rowsBefore: 0, raised: forms.length });
  });

  it.each(rowFaults)('%s: fires at the n-th row that is changed, and cannot be swallowed', async (kind) => {
    await using t = await inThread(mode, `${schema}; ${insert(4)}`);
    const armed = await t.lease.arm({ at: 'row', on: 'update', table: 'things', nth: 3, kind });
    t.db.exec(`${insert(1)}; UPDATE things SET value = 'in vain' WHERE id = 99; DELETE FROM things WHERE id = 5`);
    const forms = [
      `UPDATE things SET value = 'changed'`,
      `UPDATE OR IGNORE things SET value = 'changed'`,
      `UPDATE OR REPLACE things SET value = 'changed'`,
      `INSERT INTO things VALUES (1, 0) ON CONFLICT DO UPDATE SET value = 'changed'`,
    ];
    for (const sql of forms) expect(errorOf(() => t.db.exec(sql))).toContain(armed.nonce);
    expect(await armed.sprung()).toEqual({ count: 4, rowsBefore: 2, raised: 4 });
    const changed = t.db.prepare(`SELECT count(*) AS n FROM things WHERE value = 'changed'`);
    expect(changed.get()?.n).toBe(0);
    await armed.disarm();
    t.db.exec(forms[0]!);
    expect(changed.get()?.n).toBe(4);
  });

  it('counts outside the transaction: neither rollbacks nor savepoints change the count', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 4, kind: 'trigger' });
    t.db.exec(`BEGIN; ${insert(2)}; ROLLBACK; BEGIN; SAVEPOINT part; ${insert(1)}; ROLLBACK TO part`);
    expect(errorOf(() => t.db.exec(insert(1)))).toContain(armed.nonce);
    t.db.exec('ROLLBACK');
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 3, raised: 1 });
  });

  it('refuses later rows too, or, once, that row only', async () => {
    await using t = await inThread(mode, schema);
    const always = await t.lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'unique' });
    t.db.exec(insert(1));
    for (let i = 0; i < 3; i++) expect(errorOf(() => t.db.exec(insert(1)))).toContain(always.nonce);
    await always.disarm();
    const once = await t.lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'unique', once: true });
    expect(errorOf(() => t.db.exec(insert(5)))).toContain(once.nonce);
    t.db.exec(insert(5));
    expect(await always.sprung()).toEqual({ count: 3, rowsBefore: 1, raised: 3 });
    expect(await once.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
    expect(count(t)).toBe(6);
  });

  it('refuses a poisoned row whenever it is sent, as text or as bytes, and no other', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'poison', table: 'things', text: 'bad-1' });
    expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
    t.db.exec(`INSERT INTO things (value) VALUES ('bad-2'), (NULL)`);
    const poisoned = `INSERT INTO things (value) VALUES ('good'), ('a bad-1 one')`;
    for (let i = 0; i < 2; i++) expect(errorOf(() => t.db.exec(poisoned))).toContain(armed.nonce);
    expect(errorOf(() => t.db.exec(`INSERT INTO things (value) VALUES (CAST('bad-1' AS BLOB))`))).toContain(
      armed.nonce,
    );
    t.db.exec(`INSERT INTO things (value) VALUES ('good')`);
    expect(await armed.sprung()).toEqual({ count: 3, rowsBefore: 3, raised: 3 });
    expect(count(t)).toBe(3);
  });

  it('sees the error whichever way the statement is run', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    const sql = 'INSERT INTO things (value) VALUES (1) RETURNING id';
    const statement = t.db.prepare(sql);
    const tags = t.db.createTagStore();
    const ways: (() => unknown)[] = [
      () => t.db.exec(sql),
      () => statement.run(),
      () => statement.get(),
      () => statement.all(),
      () => [...statement.iterate()],
      () => tags.run`INSERT INTO things (value) VALUES (${1})`,
      () => tags.get`INSERT INTO things (value) VALUES (${1}) RETURNING id`,
      () => tags.all`INSERT INTO things (value) VALUES (${1}) RETURNING id`,
      () => [...tags.iterate`INSERT INTO things (value) VALUES (${1}) RETURNING id`],
    ];
    for (const way of ways) expect(errorOf(way)).toContain(armed.nonce);
    expect(await armed.sprung()).toMatchObject({ count: ways.length, raised: ways.length });
  });

  it('is invisible to snapshots, and a restore does not spring it', async () => {
    await using t = await inThread(mode, `${schema}; ${insert(3)}`);
    const before = await t.lease.snapshot();
    for (const kind of rowFaults) await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind });
    const armed = await t.lease.arm({ at: 'commit', table: 'things' });
    expect(await t.lease.snapshot()).toEqual(before);
    t.db.exec('DELETE FROM things');
    await t.lease.restore(before);
    expect((await t.lease.snapshot()).tables).toEqual({ things: 3 });
    agent.hand(t.site).restore(agent.hand(t.site).snapshot());
    expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
  });

  it('leaves nothing behind when it is disarmed, once or twice', async () => {
    await using t = await inThread(mode, schema);
    const faults: ArmedFault[] = [];
    for (const kind of rowFaults) faults.push(await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind }));
    faults.push(await t.lease.arm({ at: 'commit', table: 'things' }));
    for (const fault of [...faults, ...faults]) await fault.disarm();
    t.db.exec(insert(2));
    expect(t.db.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1);
    for (const fault of faults) expect(await fault.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
  });

  it('works on tables with odd names', async () => {
    await using t = await inThread(mode, `CREATE TABLE "it's my ""own"" table" (a TEXT PRIMARY KEY) WITHOUT ROWID`);
    const armed = await t.lease.arm({ at: 'row', table: `it's my "own" table`, nth: 1, kind: 'check' });
    expect(errorOf(() => t.db.exec(`INSERT INTO "it's my ""own"" table" VALUES (1)`))).toContain(armed.nonce);
  });

  it('names a table that is not there', async () => {
    await using t = await inThread(mode, schema);
    const arm = t.lease.arm({ at: 'row', table: 'others', nth: 1, kind: 'unique' });
    await expect(arm).rejects.toThrow(/no such table: (main\.)?others/);
    expect(t.db.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1);
  });

  it('refuses kinds that SQLite has not', async () => {
    await using t = await inThread(mode, schema);
    const arm = t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'too-long' });
    await expect(arm).rejects.toMatchObject({ name: 'NotApplicable', by: 'engine' });
  });
});

describe.each(modes)('the commit fault in mode %s', (mode) => {
  it('makes the commit fail inside a transaction that stays open', async () => {
    await using t = await inThread(mode, schema);
    const armed = await t.lease.arm({ at: 'commit', table: 'things' });
    t.db.exec(`BEGIN; ${insert(3)}`);
    expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
    expect(errorOf(() => t.db.exec('COMMIT'))).toBe('FOREIGN KEY constraint failed');
    expect(t.db.isTransaction).toBe(true);
    expect(errorOf(() => t.db.exec('COMMIT'))).toBe('FOREIGN KEY constraint failed');
    t.db.exec('ROLLBACK');
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 3, raised: 2 });
    t.db.exec(`BEGIN; ${insert(3)}; COMMIT`);
    expect(count(t)).toBe(3);
  });

  it('makes a statement fail that commits by itself, and the release of the outermost savepoint', async () => {
    await using t = await inThread(mode, schema);
    const first = await t.lease.arm({ at: 'commit', table: 'things' });
    expect(errorOf(() => t.db.prepare(insert(2)).run())).toBe('FOREIGN KEY constraint failed');
    expect(await first.sprung()).toEqual({ count: 1, rowsBefore: 2, raised: 1 });
    await first.disarm();
    const second = await t.lease.arm({ at: 'commit', table: 'things' });
    t.db.exec(`SAVEPOINT outer_part; ${insert(1)}`);
    expect(errorOf(() => t.db.exec('RELEASE outer_part'))).toBe('FOREIGN KEY constraint failed');
    t.db.exec('ROLLBACK');
    expect(await second.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
    expect(count(t)).toBe(0);
  });

  it('stays armed when the transaction is rolled back first, and leaves other tables alone', async () => {
    await using t = await inThread(mode, `${schema}; CREATE TABLE others (a)`);
    const armed = await t.lease.arm({ at: 'commit', table: 'things' });
    t.db.exec(`BEGIN; ${insert(1)}; ROLLBACK; BEGIN; INSERT INTO others VALUES (1); COMMIT`);
    expect(await armed.sprung()).toMatchObject({ count: 0, raised: 0 });
    expect(errorOf(() => t.db.exec(insert(1)))).toBe('FOREIGN KEY constraint failed');
    expect(await armed.sprung()).toMatchObject({ count: 1, raised: 1 });
  });

  it(`is not mistaken for a violation of the subject's own foreign keys`, async () => {
    await using t = await inThread(mode, `${schema}; CREATE TABLE children (thing REFERENCES things(id))`);
    const armed = await t.lease.arm({ at: 'commit', table: 'things' });
    t.db.exec(`BEGIN; ${insert(1)}`);
    expect(errorOf(() => t.db.exec('INSERT INTO children VALUES (99)'))).toBe('FOREIGN KEY constraint failed');
    expect(await armed.sprung()).toMatchObject({ count: 0, raised: 0 });
    t.db.exec('ROLLBACK');
  });

  it('says that it cannot work where the subject switched foreign keys off', async () => {
    await using t = await inThread(mode, schema);
    t.db.exec('PRAGMA foreign_keys = OFF');
    const armed = await t.lease.arm({ at: 'commit', table: 'things' });
    t.db.exec(insert(1));
    await expect(armed.sprung()).rejects.toMatchObject({ name: 'NotApplicable', message: /foreign keys/ });
    await armed.disarm();
    expect(t.db.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1);
  });
});

describe('what cannot be had', () => {
  it.each(['lock', 'crash'] as const)('mode memory has no %s, and says why', async (at) => {
    await using t = await inThread('memory', schema);
    const arm = t.lease.arm(at === 'lock' ? { at } : { at, point: { statement: 1 } });
    await expect(arm).rejects.toMatchObject({ name: 'NotApplicable', by: 'engine', message: t.lease.facts.lacks[at] });
  });

  it(`a crash would kill the judge in the judge's own process`, async () => {
    await using t = await inThread('file', schema);
    await expect(t.lease.arm({ at: 'crash', point: { statement: 1 } })).rejects.toMatchObject({
      name: 'NotApplicable',
      by: 'host',
    });
    t.db.exec(insert(1));
    expect(count(t)).toBe(1);
  });

  it.each(modes)('mode %s: a subject with another driver', async (mode) => {
    await using t = await inThread(mode);
    const other = await t.engine.lease({ mode });
    await other.attach({ call: async (method, args) => agent.call(other.site, method, args) });
    const refusal = { name: 'NotApplicable', by: 'engine', message: /no connection of node:sqlite/ };
    await expect(other.arm({ at: 'commit', table: 'things' })).rejects.toMatchObject(refusal);
    await expect(other.watch()).rejects.toMatchObject(refusal);
  });

  it('in a private database, a trap inside an open transaction', async () => {
    await using t = await inThread('memory', schema);
    t.db.exec('BEGIN');
    const arm = t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    await expect(arm).rejects.toMatchObject({ name: 'NotApplicable', message: /inside a transaction/ });
  });
});

describe('hosts', () => {
  it('are given what was armed before they came, and keep what they counted when they leave', async () => {
    await using t = await inThread('file', schema);
    await t.leave();
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    const leave = await t.lease.attach({ call: async (method, args) => agent.call(t.site, method, args) });
    expect(errorOf(() => t.db.exec(insert(1)))).toContain(armed.nonce);
    await leave();
    await leave();
    t.db.exec(insert(1));
    expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 0, raised: 1 });
  });

  it('see the arguments of the subject pass through untouched', async () => {
    await using t = await inThread('file');
    const Database = t.db.constructor as new (...args: unknown[]) => DatabaseSync;
    expect(() => new Database(t.site.path, undefined)).toThrow('The "options" argument must be an object');
    expect(() => new Database()).toThrow('path');
    const readOnly = t.open({ readOnly: true });
    expect(errorOf(() => readOnly.exec('CREATE TABLE x (a)'))).toBe('attempt to write a readonly database');
    const later = t.open({ open: false });
    expect(later.isOpen).toBe(false);
    later.open();
    later.exec(schema);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    expect(errorOf(() => later.exec(insert(1)))).toContain(armed.nonce);
  });
});

describe('a subject with settings of its own', () => {
  it.each(modes)('mode %s: one that trusts no schema meets faults and is sampled', async (mode) => {
    await using t = await inThread(mode, `PRAGMA trusted_schema = OFF; ${schema}`);
    const armed = await t.lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'check' });
    expect(errorOf(() => t.db.exec(insert(3)))).toContain(armed.nonce);
    t.db.exec('PRAGMA trusted_schema = OFF');
    expect(errorOf(() => t.db.exec(insert(3)))).toContain(armed.nonce);
    await armed.disarm();
    t.db.exec(insert(1));
    const watch = await t.lease.watch({ tables: ['things'] });
    t.db.exec(insert(3));
    expect((await watch.stop()).statements).toHaveLength(1);
    expect(t.db.prepare('PRAGMA trusted_schema').get()).toEqual({ trusted_schema: 0 });
  });

  it('mode file: one that keeps its database for itself cannot be judged, and has left no transaction open', async () => {
    await using t = await inThread('file', `PRAGMA locking_mode = EXCLUSIVE; ${schema}; ${insert(1)}`);
    const refusal = { name: 'NotApplicable', by: 'engine', message: /locking_mode EXCLUSIVE/ };
    await expect(t.lease.snapshot()).rejects.toMatchObject(refusal);
    const arm = t.lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
    await expect(arm).rejects.toMatchObject(refusal);
    const second = t.lease.attach({ call: async (method, args) => agent.call(t.site, method, args) });
    await expect(second).rejects.toMatchObject(refusal);
    t.db.exec(insert(1));
    expect(count(t)).toBe(2);
  });
});
