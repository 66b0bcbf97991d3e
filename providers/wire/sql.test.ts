import { describe, expect, it } from 'vitest';
import { copiesIn, kindOf, mayWrite, readTag, shorten, splitStatements } from './sql.ts';

describe('the kind of a statement', () => {
  it.each([
    ['BEGIN ISOLATION LEVEL SERIALIZABLE', 'begin'],
    ['start transaction', 'begin'],
    ['COMMIT', 'commit'],
    ['END', 'commit'],
    ['rollback and chain', 'rollback'],
    ['ABORT', 'rollback'],
    ['ROLLBACK TO SAVEPOINT a', 'other'],
    ["COMMIT PREPARED 'x'", 'other'],
    ['-- why\n/* nested /* comment */ */ INSERT INTO t VALUES (1)', 'write'],
    ['MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE', 'write'],
    ['(SELECT 1) UNION (SELECT 2)', 'read'],
    ['VALUES (1)', 'read'],
    ['WITH a AS (SELECT 1) SELECT * FROM a', 'read'],
    ['WITH a AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM a', 'write'],
    ['WITH a AS (SELECT \'insert\', $$ delete $$, "update" FROM t) SELECT * FROM a -- merge', 'read'],
    ['SAVEPOINT a', 'other'],
    ['CREATE TABLE t ()', 'other'],
    ['', 'other'],
  ] as const)('%s', (sql, kind) => {
    expect(kindOf(sql)).toBe(kind);
  });
});

describe('whether a statement may write', () => {
  const functions = new Set(['SEND', 'ODD "NAME']);
  it.each([
    'INSERT INTO t VALUES (1)',
    'WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a',
    'SELECT * INTO u FROM t',
    'SELECT * FROM send($1)',
    'select public.Send(1)',
    'SELECT "odd ""name"()',
    'CALL anything()',
    'DO $$ BEGIN END $$',
    'CREATE TABLE t ()',
    'EXPLAIN ANALYZE INSERT INTO t VALUES (1)',
    'EXECUTE prepared',
    "COMMIT PREPARED 'x'",
    'COPY t (a) FROM STDIN',
    "COPY t FROM '/tmp/file'",
    'COPY (INSERT INTO t VALUES (1) RETURNING a) TO STDOUT',
    '…',
  ])('%s: yes', (sql) => {
    expect(mayWrite(sql, functions)).toBe(true);
  });

  it.each([
    'SELECT * FROM t FOR UPDATE',
    'SELECT * FROM t FOR NO KEY UPDATE',
    "SELECT 'insert', sender FROM t -- delete",
    'TABLE t',
    'BEGIN',
    'SET search_path = x',
    'SHOW timezone',
    'PREPARE a AS INSERT INTO t VALUES (1)',
    'LOCK TABLE t IN ROW EXCLUSIVE MODE',
    'COPY t TO STDOUT',
    'COPY (SELECT a FROM t) TO STDOUT',
    'NOTIFY a',
    '-- nothing',
    '',
  ])('%s: no', (sql) => {
    expect(mayWrite(sql, functions)).toBe(false);
  });

  it('data come from the client with COPY FROM STDIN only', () => {
    expect(['COPY t FROM STDIN', 'copy t (a, b) from stdin (format csv)'].map(copiesIn)).toEqual([true, true]);
    expect(["COPY t FROM 'stdin'", 'COPY t TO STDOUT', 'SELECT 1 FROM stdin'].map(copiesIn)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a text of several statements', () => {
  it.each([
    ['SELECT 1; SELECT 2', ['SELECT 1', ' SELECT 2']],
    [';; SELECT 1 ; -- ;\n;', [' SELECT 1 ']],
    ["SELECT ';''', E'\\';', U&';', \";\"\";\"", 1],
    ['SELECT $$;$$, $a$ ; $$ ; $a$, $1; SELECT 2', 2],
    ['SELECT a$b$; SELECT c$b$', 2],
    ['SELECT /* ; /* ; */ ; */ 1 -- ; \n; SELECT 2', 2],
    ['CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b); SELECT 1', 2],
    ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END; SELECT 1', 2],
    ['CREATE OR REPLACE PROCEDURE f() BEGIN ATOMIC SELECT 1; END', 1],
    ['BEGIN; SELECT CASE WHEN a THEN 1 END; END; SELECT 1', 4],
    ["SELECT 'not closed; SELECT 1", 1],
    ['SELECT $x$not closed; SELECT 1', 1],
    ['SELECT 1 /* not closed; SELECT 1', 1],
    ['', []],
  ] as const)('%s', (text, expected) => {
    const statements = splitStatements(text);
    if (typeof expected === 'number') expect(statements).toHaveLength(expected);
    else expect(statements).toEqual(expected);
  });
});

describe('the tag of a statement', () => {
  it.each([
    ['INSERT 0 3', 'other', { kind: 'write', rows: 3 }],
    ['UPDATE 0', 'write', { kind: 'write', rows: 0 }],
    ['SELECT 5', 'read', { kind: 'read', returned: 5 }],
    ['SELECT 5', 'write', { kind: 'write', returned: 5 }],
    ['SELECT 5', 'other', { kind: 'other' }],
    ['COPY 2', 'write', { kind: 'write', rows: 2 }],
    ['COPY 2', 'read', { kind: 'read', returned: 2 }],
    ['START TRANSACTION', 'other', { kind: 'begin' }],
    ['COMMIT', 'commit', { kind: 'commit' }],
    ['ROLLBACK', 'commit', { kind: 'rollback' }],
    ['ROLLBACK', 'rollback', { kind: 'rollback' }],
    ['ROLLBACK', 'other', { kind: 'other' }],
    ['CREATE TABLE', 'other', { kind: 'other' }],
    ['', 'read', { kind: 'read' }],
  ] as const)('%s after a text of kind %s', (tag, kind, expected) => {
    expect(readTag(tag, kind)).toEqual(expected);
  });
});

it('a text is shown on one line and shortened', () => {
  expect(shorten('  SELECT\n\t1 ')).toBe('SELECT 1');
  expect(shorten('x'.repeat(11), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(shorten(`${' '.repeat(8)}x${' '.repeat(1000)}y`, 10)).toBe('x…');
});
