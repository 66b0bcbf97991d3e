import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, quoteName, shorten, splitStatements } from './sql.ts';

describe('splitStatements', () => {
  it('cuts at semicolons and keeps every statement as it was written', () => {
    expect(splitStatements('BEGIN; INSERT INTO t VALUES (1);COMMIT')).toEqual([
      'BEGIN;',
      ' INSERT INTO t VALUES (1);',
      'COMMIT',
    ]);
  });

  it.each([
    [`INSERT INTO t VALUES (';')`],
    [`INSERT INTO t VALUES ('it''s; so')`],
    ['SELECT ";" FROM "a;b"'],
    ['SELECT `;` FROM [a;b]'],
    ['SELECT 1 -- one; two\n + 1'],
    ['SELECT 1 /* one; two */ + 1'],
    ['CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT CASE 1 WHEN 1 THEN 2 END; END'],
    ['CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END'],
    ['create temporary trigger x after insert on t begin select 1; end'],
    ['EXPLAIN CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END'],
    ['EXPLAIN QUERY PLAN CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END'],
  ])('finds one statement in %s', (sql) => {
    expect(splitStatements(sql)).toEqual([sql]);
    expect(splitStatements(`${sql}; SELECT 2`)).toEqual([`${sql};`, ' SELECT 2']);
  });

  it('finds none where there is only white space, comments or semicolons', () => {
    expect(splitStatements(' ; -- nothing\n ;; /* nothing */ ')).toEqual([]);
  });

  it('takes an END that is a column for no end of a trigger', () => {
    const trigger = 'CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT "END"; SELECT 1 AS "end"; END;';
    expect(splitStatements(`${trigger}SELECT 1`)).toEqual([trigger, 'SELECT 1']);
  });

  it('joins to the script again, whatever the texts hold', () => {
    const statement = fc
      .string({ unit: 'grapheme' })
      .map((text) => `INSERT INTO t VALUES ('${text.replaceAll("'", "''")}');`);
    fc.assert(
      fc.property(fc.array(statement), (statements) => {
        expect(splitStatements(statements.join(''))).toEqual(statements);
      }),
    );
  });
});

describe('kindOf', () => {
  it.each([
    ['begin immediate', 'begin'],
    ['COMMIT', 'commit'],
    ['end transaction', 'commit'],
    ['ROLLBACK', 'rollback'],
    ['ROLLBACK TO part', 'other'],
    ['rollback transaction to savepoint part', 'other'],
    ['/* why */ -- because\n insert into t values (1)', 'write'],
    ['REPLACE INTO t VALUES (1)', 'write'],
    ['WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x', 'write'],
    [`WITH x AS (SELECT 'insert') SELECT * FROM x`, 'read'],
    ['VALUES (1)', 'read'],
    ['PRAGMA foreign_keys', 'other'],
    ['CREATE TABLE t (a)', 'other'],
    ['SAVEPOINT part', 'other'],
    ['', 'other'],
  ])('%s is %s', (sql, kind) => {
    expect(kindOf(sql)).toBe(kind);
  });
});

it('quotes a name that holds quotes', () => {
  expect(quoteName('my "own" table')).toBe('"my ""own"" table"');
});

it('shortens to one line', () => {
  expect(shorten(' SELECT\n  1 ')).toBe('SELECT 1');
  expect(shorten('x'.repeat(300))).toHaveLength(200);
});
