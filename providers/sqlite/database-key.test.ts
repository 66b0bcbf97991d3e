import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { databaseKey } from './database-key.ts';

const path = '/var/tmp/my db.sqlite';

it.each([
  ['the path', path],
  ['the path as bytes', Buffer.from(path)],
  ['a file URL', pathToFileURL(path)],
  ['a file URL as text', pathToFileURL(path).href],
  ['a URI with options', 'file:/var/tmp/my%20db.sqlite?mode=rwc&cache=private'],
  ['a URI with an authority', 'file://localhost/var/tmp/my%20db.sqlite'],
  ['a path with a detour', '/var/tmp/../tmp/my db.sqlite'],
])('knows a database by %s', (_, spelled) => {
  expect(databaseKey(spelled)).toBe(path);
});

it('tells databases in memory apart by their names', () => {
  expect(databaseKey('file:ct-1?mode=memory')).toBe(databaseKey('file:ct-1?mode=memory&cache=private'));
  expect(databaseKey('file:ct-1?mode=memory')).not.toBe(databaseKey('file:ct-2?mode=memory'));
  expect(databaseKey('file:/ct-1?vfs=memdb')).toBe('/ct-1');
  expect(databaseKey(':memory:')).toBe(':memory:');
});
