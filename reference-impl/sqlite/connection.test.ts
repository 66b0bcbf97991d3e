import { expect, test } from 'vitest';
import { Connection } from './connection.ts';
import { schema } from './schema.ts';

const count = 'SELECT count(*) AS n FROM messages';
const insert = "INSERT INTO messages (slot, body, created_at) VALUES (0, '1', 0)";

function opened(): Connection {
  const connection = new Connection(':memory:');
  connection.createTables(schema);
  return connection;
}

test('the first error stays the cause when the rollback fails as well', () => {
  const connection = opened();
  const first = new Error('the first error');
  const attempt = () =>
    connection.transaction(() => {
      // The inner savepoint takes the place of the one that the outer part would roll back to.
      connection.savepoint(() => {
        connection.rows('RELEASE part');
        throw first;
      });
    });
  expect(attempt).toThrow(expect.objectContaining({ cause: first }));
  expect(attempt).toThrow(/the first error; and the rollback failed: .*no such savepoint/);
  connection.close();
});

test('what a failed rollback left open is undone before the next transaction', () => {
  const connection = opened();
  connection.rows('BEGIN');
  connection.insert(insert);
  connection.transaction(() => {});
  expect(connection.rows(count)).toEqual([{ n: 0n }]);
  connection.close();
});

test('a savepoint is undone alone', () => {
  const connection = opened();
  connection.transaction(() => {
    connection.insert(insert);
    expect(() =>
      connection.savepoint(() => {
        connection.insert(insert);
        throw new Error('undone');
      }),
    ).toThrow('undone');
  });
  expect(connection.rows(count)).toEqual([{ n: 1n }]);
  connection.close();
});
