import { describe, expect, it } from 'vitest';
import { kindOf, readTag, shorten, splitStatements } from './sql.ts';

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
