import { describe, expect, it } from 'vitest';
import type { Sample } from '../../contracts/kernel/engine.ts';
import { openOwn } from './database.ts';
import { errorOf, inThread } from './fixtures/in-thread.ts';

const schema = 'CREATE TABLE things (id INTEGER PRIMARY KEY, value)';
const counting = { tables: ['things'] };
const insert500 = `INSERT INTO things (value) SELECT value FROM json_each('[${Array(500).fill(1)}]')`;

/** The counts that readers saw, or the word that they were refused. */
function seen(samples: Sample[]): unknown[] {
  return samples.map(({ found }) =>
    'rows' in found ? found.rows[0]?.things : 'refused' in found ? 'refused' : found.missing,
  );
}

describe('statements', () => {
  it('are recorded with their kind, text, rows, connection and time', async () => {
    await using t = await inThread('file', schema);
    const second = t.open();
    const watch = await t.lease.watch();
    t.db.exec(`BEGIN;  INSERT INTO things\n (value) VALUES (1), (2); COMMIT`);
    second.prepare('UPDATE things SET value = ?').run(3);
    second.prepare('SELECT * FROM things').all();
    t.db.prepare('INSERT INTO things (value) VALUES (4) RETURNING id').get();
    const { statements, samples } = await watch.stop();
    expect(statements.map(({ kind, text, rows, connection }) => [kind, text, rows, connection])).toEqual([
      ['begin', 'BEGIN;', undefined, 1],
      ['write', 'INSERT INTO things (value) VALUES (1), (2);', 2, 1],
      ['commit', 'COMMIT', undefined, 1],
      ['write', 'UPDATE things SET value = ?', 2, 2],
      ['read', 'SELECT * FROM things', undefined, 2],
      ['write', 'INSERT INTO things (value) VALUES (4) RETURNING id', 1, 1],
    ]);
    expect(samples).toEqual([]);
    const times = statements.flatMap((s) => [s.startedMs, s.endedMs]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(0);
  });

  it('are the same in every mode, without a trace of our own', async () => {
    for (const mode of ['memory', 'shared'] as const) {
      await using t = await inThread(mode, schema);
      const watch = await t.lease.watch();
      t.db.exec(insert500);
      await t.lease.read('SELECT * FROM things');
      await t.lease.snapshot();
      const { statements } = await watch.stop();
      expect(statements.map(({ kind, rows }) => [kind, rows])).toEqual([['write', 500]]);
    }
  });

  it('that fail are recorded with the error, those that cannot be prepared too', async () => {
    await using t = await inThread('file', `${schema}; INSERT INTO things VALUES (1, 1)`);
    const watch = await t.lease.watch();
    errorOf(() => t.db.exec('INSERT INTO things VALUES (1, 1)'));
    errorOf(() => t.db.prepare('SELECT * FROM absent'));
    const { statements } = await watch.stop();
    expect(statements.map(({ failed }) => failed)).toEqual([
      'UNIQUE constraint failed: things.id',
      'no such table: absent',
    ]);
  });

  it('of a script stop at the first that fails', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch();
    errorOf(() => t.db.exec('INSERT INTO things VALUES (1, 1); INSERT INTO things VALUES (1, 1); DELETE FROM things'));
    expect((await watch.stop()).statements).toHaveLength(2);
    expect(await t.lease.read('SELECT id FROM things')).toEqual({ rows: [{ id: 1 }] });
  });

  it('count the commits of whatever writes: an iterator, a script, a savepoint as the outermost', async () => {
    await using t = await inThread('file', schema);
    const commitsOf = async (work: () => void): Promise<number> => {
      const watch = await t.lease.watch();
      work();
      return (await watch.stop()).commits;
    };
    const insert = 'INSERT INTO things (value) VALUES (1), (2) RETURNING id';
    expect(await commitsOf(() => [...t.db.prepare(insert).iterate()])).toBe(1);
    expect(await commitsOf(() => t.db.prepare(insert).get())).toBe(1);
    expect(await commitsOf(() => t.db.exec(`${insert}; ${insert}; SELECT 1`))).toBe(2);
    expect(await commitsOf(() => t.db.exec(`BEGIN; ${insert}; ${insert}; END TRANSACTION; BEGIN; COMMIT`))).toBe(1);
    const nested = `SAVEPOINT a; ${insert}; SAVEPOINT a; ${insert}; RELEASE a; ${insert}; RELEASE a`;
    expect(await commitsOf(() => t.db.exec(nested))).toBe(1);
    expect(await commitsOf(() => t.db.exec(`BEGIN; ${insert}; ROLLBACK; -- nothing\n${insert}`))).toBe(1);
  });

  it('know savepoints that begin and commit', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch();
    t.db.exec('SAVEPOINT a; SAVEPOINT b; RELEASE b; RELEASE a');
    const { statements } = await watch.stop();
    expect(statements.map(({ kind }) => kind)).toEqual(['begin', 'other', 'other', 'commit']);
  });

  it('keep the results of an iterator that is left early', async () => {
    await using t = await inThread('file', `${schema}; ${insert500}`);
    const watch = await t.lease.watch();
    for (const row of t.db.prepare('SELECT id FROM things').iterate()) {
      expect(row.id).toBe(1);
      break;
    }
    expect([...t.db.prepare('SELECT id FROM things').iterate()]).toHaveLength(500);
    expect((await watch.stop()).statements).toHaveLength(2);
  });
});

describe('samples', () => {
  it('are taken between the statements of a transaction and see nothing of it before the commit', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch(counting);
    t.db.exec('BEGIN');
    const insert = t.db.prepare('INSERT INTO things (value) VALUES (?)');
    for (let i = 0; i < 10; i++) insert.run(i);
    t.db.exec('COMMIT');
    const { samples } = await watch.stop();
    const inFlight = samples.filter((s) => s.inFlight);
    expect(inFlight.length).toBeGreaterThan(20);
    expect(new Set(seen(inFlight))).toEqual(new Set([0]));
    expect(inFlight.map((s) => s.statements)).toEqual(expect.arrayContaining([2, 5, 11]));
    const last = samples.at(-1)!;
    expect([last.inFlight, last.statements, ...seen([last])]).toEqual([false, 12, 10]);
  });

  it('show a batch that is committed in two parts', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch(counting);
    t.db.exec('BEGIN; INSERT INTO things VALUES (1, 1); COMMIT; BEGIN; INSERT INTO things VALUES (2, 2); COMMIT');
    const { samples } = await watch.stop();
    expect([...new Set(seen(samples))]).toEqual([0, 1, 2]);
    expect(new Set(seen(samples.filter((s) => s.inFlight)))).toEqual(new Set([0, 1]));
  });

  it('are taken inside a single statement that writes all rows', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch(counting);
    t.db.exec(insert500);
    const { samples } = await watch.stop();
    const inFlight = samples.filter((s) => s.inFlight);
    expect(inFlight.length).toBeGreaterThan(15);
    expect(inFlight.length).toBeLessThanOrEqual(40);
    expect(new Set(seen(inFlight))).toEqual(new Set([0]));
    expect(seen(samples).at(-1)).toBe(500);
  });

  it('are taken inside updates and deletes', async () => {
    await using t = await inThread('file', `${schema}; ${insert500}`);
    const watch = await t.lease.watch({ statement: 'SELECT sum(value) AS things FROM things' });
    t.db.exec('UPDATE things SET value = 2; DELETE FROM things');
    const { samples } = await watch.stop();
    const inside = (statement: number): unknown[] =>
      seen(samples.filter((s) => s.inFlight && s.statements === statement));
    expect(new Set(inside(1))).toEqual(new Set([500]));
    expect(new Set(inside(2))).toEqual(new Set([1000]));
  });

  it('count as refused where a lock keeps the reader out', async () => {
    await using t = await inThread('shared', schema);
    const watch = await t.lease.watch(counting);
    t.db.exec(`BEGIN IMMEDIATE; INSERT INTO things VALUES (1, 1); COMMIT`);
    const { samples } = await watch.stop();
    expect(new Set(seen(samples.filter((s) => s.inFlight)))).toEqual(new Set(['refused']));
    expect(seen(samples).filter((s) => s !== 'refused')).toEqual([0, 1]);
  });

  it('are not taken in a private database, where nobody else can look', async () => {
    await using t = await inThread('memory', schema);
    const watch = await t.lease.watch(counting);
    t.db.exec(insert500);
    const { samples, statements } = await watch.stop();
    expect([samples.length, statements.length]).toEqual([0, 1]);
    expect(t.lease.facts.lacks.observer).toContain('one connection');
  });

  it('keep every change however many there are, and few of what is equal', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch(counting);
    const insert = t.db.prepare('INSERT INTO things (value) VALUES (?)');
    t.db.exec('BEGIN');
    for (let i = 0; i < 2000; i++) insert.run(i);
    t.db.exec('COMMIT');
    // Written by somebody else: the subject's own statements only read, and no transaction of its is open.
    const other = openOwn(t.site.path, 0);
    for (let i = 0; i < 300; i++) {
      other.exec('INSERT INTO things (value) VALUES (1)');
      t.db.prepare('SELECT 1').get();
    }
    other.close();
    const { samples, statements } = await watch.stop();
    expect(statements).toHaveLength(2302);
    expect(samples.length).toBeLessThan(1500);
    const counts = [...new Set(seen(samples))];
    expect(counts).toEqual([0, ...Array.from({ length: 301 }, (_, i) => 2000 + i)]);
  });

  it('say when a table is missing, and stop at once when the query is wrong', async () => {
    await using t = await inThread('file', schema);
    const watch = await t.lease.watch({ tables: ['absent'] });
    t.db.exec(insert500);
    expect(seen((await watch.stop()).samples)).toContain('no such table: absent');
    await expect(t.lease.watch({ statement: 'SELEKT' })).rejects.toThrow('SELEKT');
    expect(t.db.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1);
  });

  it('leave nothing behind, and two recordings do not disturb each other', async () => {
    await using t = await inThread('file', `${schema}; CREATE VIRTUAL TABLE f USING fts5(body)`);
    const names = (): unknown[] => t.db.prepare('SELECT name FROM sqlite_schema ORDER BY name').all();
    const before = names();
    const [first, second] = [await t.lease.watch(counting), await t.lease.watch(counting)];
    await first.stop();
    t.db.exec(insert500);
    const watched = await second.stop();
    expect(watched.samples.filter((s) => s.inFlight).length).toBeGreaterThan(15);
    expect(await second.stop()).toBe(watched);
    expect((await first.stop()).statements).toHaveLength(0);
    expect(names()).toEqual(before);
  });
});
