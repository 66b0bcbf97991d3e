import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { read, restore, snapshot, wipe } from './content.ts';
import { openOwn } from './database.ts';

let db: DatabaseSync;

beforeEach(() => {
  db = openOwn(':memory:', 0);
});
afterEach(() => db.close());

/** Restores what `schema` made after `change`, and expects the content to be what it was. */
function survives(schema: string, change: string): void {
  db.exec(schema);
  const before = snapshot(db);
  db.exec(change);
  expect(snapshot(db).content).not.toEqual(before.content);
  restore(db, before);
  expect(snapshot(db)).toEqual(before);
}

describe('read', () => {
  it('returns plain rows, and integers beyond 2^53 as bigints', () => {
    const found = read(db, `SELECT 1 AS small, 9007199254740993 AS large, x'00ff' AS bytes, 1.5 AS real, NULL AS none`);
    expect(found).toEqual({
      rows: [{ small: 1, large: 9007199254740993n, bytes: Uint8Array.of(0, 255), real: 1.5, none: null }],
    });
    expect(Object.getPrototypeOf((found as { rows: object[] }).rows[0])).toBe(Object.prototype);
  });

  it('says which table is missing', () => {
    expect(read(db, 'SELECT * FROM messages')).toEqual({ missing: 'no such table: messages' });
  });

  it('quotes the statement that is wrong', () => {
    db.exec('CREATE TABLE t (a)');
    expect(() => read(db, 'SELECT b FROM t')).toThrow('sqlite: no such column: b, in: SELECT b FROM t');
  });
});

describe('restore', () => {
  it('brings back deleted rows, takes away new ones, and undoes changes', () => {
    survives(
      `CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')`,
      `DELETE FROM t WHERE a = 1; UPDATE t SET b = 'other' WHERE a = 2; INSERT INTO t VALUES (4, 'new')`,
    );
  });

  it('keeps the hidden row numbers', () => {
    survives(
      'CREATE TABLE t (a); INSERT INTO t (rowid, a) VALUES (10, 1), (7, 2), (9223372036854775807, 3)',
      'DELETE FROM t WHERE a = 2; INSERT INTO t VALUES (2)',
    );
    expect(read(db, 'SELECT rowid AS n FROM t')).toEqual({ rows: [{ n: 7 }, { n: 10 }, { n: 9223372036854775807n }] });
  });

  it('keeps the hidden row numbers of a table with a column called rowid', () => {
    survives('CREATE TABLE t (rowid TEXT); INSERT INTO t (_rowid_, rowid) VALUES (5, 1), (3, 2)', 'DELETE FROM t');
    expect(read(db, 'SELECT _rowid_ AS n, rowid AS r FROM t')).toEqual({
      rows: [
        { n: 3, r: '2' },
        { n: 5, r: '1' },
      ],
    });
  });

  it('keeps every type as it was stored', () => {
    survives(
      `CREATE TABLE t (a); INSERT INTO t VALUES (9007199254740993), (-9223372036854775808), (1), (1.0), (1e300),
       ('1'), (x''), (x'0001ff'), (NULL), (''), ('a' || char(0) || 'b'), ('😀')`,
      'UPDATE t SET a = 0',
    );
    expect(read(db, `SELECT group_concat(typeof(a)) AS types FROM t`)).toEqual({
      rows: [{ types: 'integer,integer,integer,real,real,text,blob,blob,null,text,text,text' }],
    });
  });

  it('copes with odd names', () => {
    survives(
      `CREATE TABLE "my ""own"" table" ("a ""b""", "select"); CREATE TABLE 'it''s' (a);
       INSERT INTO "my ""own"" table" VALUES (1, 2); INSERT INTO 'it''s' VALUES (3)`,
      `DELETE FROM "my ""own"" table"; DELETE FROM "it's"`,
    );
    expect(snapshot(db).tables).toEqual({ 'my "own" table': 1, "it's": 1 });
  });

  it('copes with tables without row numbers, and generated columns', () => {
    survives(
      `CREATE TABLE w (a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES ('x', 1), ('y', 2);
       CREATE TABLE g (a, double AS (a * 2), stored AS (a * 3) STORED); INSERT INTO g VALUES (1), (2)`,
      `DELETE FROM w; DELETE FROM g`,
    );
    expect(snapshot(db).tables).toEqual({ g: 2, w: 2 });
    expect(read(db, 'SELECT stored FROM g')).toEqual({ rows: [{ stored: 3 }, { stored: 6 }] });
  });

  const writesShadowTables = (of: DatabaseSync): boolean => {
    try {
      of.prepare('DELETE FROM f_config');
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    ['its own content', 'body'],
    ['the content of a table', "body, content='posts', content_rowid='id'"],
    ['no content', "body, content=''"],
  ])('copes with a full-text index with %s', (_what, columns) => {
    const ids = (word: string) => read(db, `SELECT rowid AS id FROM f WHERE f MATCH '${word}'`);
    survives(
      `CREATE TABLE posts (id INTEGER PRIMARY KEY, body); INSERT INTO posts VALUES (1, 'one fish'), (2, 'two fish');
       CREATE VIRTUAL TABLE f USING fts5(${columns}); INSERT INTO f (rowid, body) SELECT id, body FROM posts`,
      `INSERT INTO posts VALUES (3, 'red fish'); INSERT INTO f (rowid, body) VALUES (3, 'red fish')`,
    );
    expect(snapshot(db).tables).toEqual({ posts: 2 });
    expect(ids('fish')).toEqual({ rows: [{ id: 1 }, { id: 2 }] });
    db.exec(`INSERT INTO f (rowid, body) VALUES (4, 'blue fish'); INSERT INTO f (f) VALUES ('integrity-check')`);
    expect(ids('blue')).toEqual({ rows: [{ id: 4 }] });
    const own = new DatabaseSync(':memory:');
    own.exec('CREATE VIRTUAL TABLE f USING fts5(body)');
    expect(writesShadowTables(db)).toBe(writesShadowTables(own));
  });

  it('empties a virtual table that was made since', () => {
    const before = snapshot(db);
    db.exec(`CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('one fish');
       CREATE VIRTUAL TABLE boxes USING rtree(id, low, high); INSERT INTO boxes VALUES (1, 2, 3)`);
    restore(db, before);
    db.exec(`INSERT INTO f VALUES ('two fish'); INSERT INTO boxes VALUES (2, 2, 3)`);
    expect(read(db, `SELECT body FROM f WHERE f MATCH 'fish'`)).toEqual({ rows: [{ body: 'two fish' }] });
    expect(read(db, 'SELECT id FROM boxes WHERE low < 3')).toEqual({ rows: [{ id: 2 }] });
  });

  it('copes with foreign keys in both directions, and leaves them on', () => {
    survives(
      `CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b(id)); CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a(id));
       INSERT INTO a VALUES (1, NULL); INSERT INTO b VALUES (1, 1); UPDATE a SET b = 1`,
      'UPDATE a SET b = NULL; DELETE FROM b; DELETE FROM a',
    );
    expect(() => db.exec('INSERT INTO b VALUES (2, 99)')).toThrow('FOREIGN KEY');
  });

  it(`does not run the subject's triggers, and leaves them in place`, () => {
    survives(
      `CREATE TABLE t (a); CREATE TABLE audit (a); INSERT INTO t VALUES (1);
       CREATE TRIGGER log AFTER INSERT ON t BEGIN INSERT INTO audit VALUES (new.a); END`,
      'DELETE FROM t',
    );
    db.exec('INSERT INTO t VALUES (2)');
    expect(snapshot(db).tables).toEqual({ audit: 1, t: 2 });
  });

  it('empties a table that was made since', () => {
    db.exec('CREATE TABLE t (a)');
    const before = snapshot(db);
    db.exec('CREATE TABLE later (a); INSERT INTO later VALUES (1)');
    restore(db, before);
    expect(snapshot(db).tables).toEqual({ later: 0, t: 0 });
  });

  it('lets AUTOINCREMENT go on where it is', () => {
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t (a) VALUES (1)');
    const before = snapshot(db);
    db.exec('INSERT INTO t (a) VALUES (2), (3)');
    restore(db, before);
    db.exec('INSERT INTO t (a) VALUES (4)');
    expect(read(db, 'SELECT id FROM t')).toEqual({ rows: [{ id: 1 }, { id: 4 }] });
  });

  it('changes nothing when it cannot restore everything', () => {
    db.exec('CREATE TABLE a (x); CREATE TABLE b (x)');
    const before = snapshot(db);
    db.exec('DROP TABLE b; INSERT INTO a VALUES (1)');
    expect(() => restore(db, before)).toThrow('cannot restore b: dropped since the snapshot');
    expect(snapshot(db).tables).toEqual({ a: 1 });
    expect(db.isTransaction).toBe(false);
  });

  it(`refuses inside somebody's transaction`, () => {
    const before = snapshot(db);
    db.exec('BEGIN');
    expect(() => restore(db, before)).toThrow('the subject has left a transaction open');
  });
});

describe('wipe', () => {
  it('drops tables, views and triggers, whatever refers to what', () => {
    db.exec(`
      CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT);
      CREATE TABLE child (parent REFERENCES parent(id)); INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
      CREATE VIEW "a view" AS SELECT * FROM parent; CREATE VIRTUAL TABLE f USING fts5(body);
      CREATE TRIGGER t AFTER INSERT ON parent BEGIN SELECT 1; END`);
    wipe(db);
    expect(read(db, `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`)).toEqual({ rows: [] });
    expect(read(db, 'SELECT * FROM parent')).toEqual({ missing: 'no such table: parent' });
  });
});
