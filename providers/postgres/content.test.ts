import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { places, startEngines, type TestEngines } from './fixtures/engines.ts';

let engines: TestEngines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

describe.each(places)('content on %s', (where) => {
  it('comes back exact, whatever its type', async () => {
    const { lease, subject } = await engines.lease(
      where,
      `CREATE TYPE mood AS ENUM ('sad', 'it''s "fine", \\ really');
       CREATE TYPE pair AS (a int, b text);
       CREATE DOMAIN short AS varchar(3) CHECK (value <> 'bad');
       CREATE TABLE many (
         id bigint GENERATED ALWAYS AS IDENTITY, small smallint, wide numeric(40, 10), single real, double double precision,
         body text, fixed char(5), short short, raw bytea, flag boolean, doc json, docb jsonb, at timestamptz, local timestamp,
         day date, span interval, list int[], names text[], mood mood, pair pair, bits bit(3), net inet, uid uuid,
         range int4range, one "char", "odd "" name" text, twice int GENERATED ALWAYS AS (small * 2) STORED);
       INSERT INTO many OVERRIDING SYSTEM VALUE VALUES
         (9223372036854775807, -32768, 123456789012345678901234567890.0123456789, 0.1, 'NaN', E'tab\\t\\\\N\\n''"{},', 'ab',
          'abc', '\\x00ff5c', true, '{"a": 1,  "a":2}', '{"b": [1e400]}', 'infinity', '2024-02-29 23:59:59.999999',
          '4713-01-01 BC', '1 year -2 days 03:04:05.000006', '{{1,NULL},{3,4}}', '{"NULL",NULL,"",",","\\"\\\\"}',
          'it''s "fine", \\ really', '(1,"x,""y")', '101', '10.1.2.3/8', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '[1,5)',
          'x', 'odd'),
         (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
          NULL, NULL, NULL, NULL, NULL, NULL, NULL),
         (3, 0, 0, '-Infinity', -0.0, '', '', '', '', false, 'null', '""', '2024-03-31 01:30:00+00', '-infinity', 'infinity',
          '0', '{}', '{}', 'sad', NULL, '000', '::1', NULL, 'empty', ' ', '')`,
    );
    const everything = 'SELECT m::text AS whole FROM many m ORDER BY id';
    const before = await subject.query(everything);
    const snapshot = await lease.snapshot();
    expect(snapshot.tables).toEqual({ many: 3 });
    await subject.query(`UPDATE many SET body = 'changed'; DELETE FROM many WHERE small = 0`);
    await lease.restore(snapshot);
    expect(before).toHaveLength(3);
    expect(await subject.query(everything)).toEqual(before);
    await subject.end();
    await lease.release();
  });

  it('comes back whichever table refers to which, without a trigger of the subject', async () => {
    const { lease, subject } = await engines.lease(
      where,
      `CREATE TABLE a (id int PRIMARY KEY, other int, boss int REFERENCES a ON DELETE CASCADE);
       CREATE TABLE b (id int PRIMARY KEY, other int NOT NULL REFERENCES a ON DELETE RESTRICT);
       INSERT INTO a VALUES (1, 10, 2), (2, 20, NULL);
       INSERT INTO b VALUES (10, 1), (20, 2);
       ALTER TABLE a ADD FOREIGN KEY (other) REFERENCES b;
       CREATE TABLE log (what text);
       CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO log VALUES (TG_OP); RETURN NULL; END $$;
       CREATE TRIGGER logs AFTER INSERT OR DELETE ON a FOR EACH ROW EXECUTE FUNCTION logs();
       CREATE TRIGGER off AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION logs();
       ALTER TABLE a DISABLE TRIGGER off;
       ALTER TABLE a ENABLE ALWAYS TRIGGER logs`,
    );
    const triggers = `SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'a'::regclass AND NOT tgisinternal ORDER BY 1`;
    const whole = await lease.snapshot();
    const switched = await subject.query(triggers);
    await subject.query('UPDATE a SET other = NULL; DELETE FROM b; DELETE FROM a; DELETE FROM log');
    await lease.restore(whole);
    await lease.restore(whole);
    expect(await lease.snapshot()).toEqual({ ...whole, tables: { a: 2, b: 2, log: 0 } });
    expect(await subject.query(triggers)).toEqual(switched);
    expect(switched).toEqual([
      { tgname: 'logs', tgenabled: 'A' },
      { tgname: 'off', tgenabled: 'D' },
    ]);
    await subject.end();
    await lease.release();
  });

  it('counts partitions once, and children of their own', async () => {
    const { lease, subject } = await engines.lease(
      where,
      `CREATE TABLE jobs (id int, name text) PARTITION BY LIST (name);
       CREATE TABLE jobs_a PARTITION OF jobs FOR VALUES IN ('a');
       CREATE TABLE jobs_other PARTITION OF jobs DEFAULT;
       CREATE TABLE parent (id int);
       CREATE TABLE child () INHERITS (parent);
       INSERT INTO jobs VALUES (1, 'a'), (2, 'b');
       INSERT INTO parent VALUES (1);
       INSERT INTO child VALUES (2)`,
    );
    const snapshot = await lease.snapshot();
    expect(snapshot.tables).toEqual({ jobs: 2, parent: 1, child: 1 });
    await subject.query('DELETE FROM jobs; DELETE FROM parent');
    await lease.restore(snapshot);
    expect(await lease.snapshot()).toEqual(snapshot);
    await lease.analyse();
    await subject.end();
    await lease.release();
  });

  it('empties tables made since, and cannot bring back one that is gone', async () => {
    const { lease, subject } = await engines.lease(where, 'CREATE TABLE first (id int)');
    const snapshot = await lease.snapshot();
    await subject.query('CREATE TABLE later (id int); INSERT INTO later VALUES (1); INSERT INTO first VALUES (1)');
    await lease.restore(snapshot);
    expect((await lease.snapshot()).tables).toEqual({ first: 0, later: 0 });
    await subject.query('DROP TABLE first');
    await expect(lease.restore(snapshot)).rejects.toThrow('cannot restore first: dropped since');
    await subject.end();
    await lease.release();
  });
});

it('a snapshot shows all tables at one moment, whatever is committed while it is taken', async () => {
  const { lease, subject } = await engines.lease(
    'a private server',
    'CREATE TABLE a (id int); CREATE TABLE b (id int)',
  );
  await subject.query('BEGIN; LOCK TABLE b');
  const taken = lease.snapshot();
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'b'::regclass`;
  while (JSON.stringify(await lease.read(waiting)) === '{"rows":[]}');
  await subject.query('INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); COMMIT');
  expect((await taken).tables).toEqual({ a: 0, b: 0 });
  expect((await lease.snapshot()).tables).toEqual({ a: 1, b: 1 });
  await subject.end();
  await lease.release();
});

it('reads values exactly', async () => {
  const { lease, subject } = await engines.lease(
    'a private server',
    `SET timezone = 'Asia/Kathmandu';
     CREATE TABLE t (j json, b jsonb, at timestamptz, safe bigint, wide bigint, n numeric, long numeric, raw bytea, flag boolean,
                     f float8, i int, none int, forever timestamptz);
     INSERT INTO t VALUES ('{"a": 1 }', '{"a": 1 }', '2024-02-29 12:00:00.123456+05:45', 9007199254740991, 9007199254740993,
       1735689600123.000000, 0.12345678901234567890, '\\x00ff', false, 0.1, -7, NULL, 'infinity')`,
  );
  expect(await lease.read('SELECT * FROM t')).toEqual({
    rows: [
      {
        j: '{"a": 1 }',
        b: '{"a": 1}',
        at: '2024-02-29T06:15:00.123456Z',
        safe: 9007199254740991,
        wide: 9007199254740993n,
        n: 1735689600123,
        long: '0.12345678901234567890',
        raw: new Uint8Array([0, 255]),
        flag: false,
        f: 0.1,
        i: -7,
        none: null,
        forever: 'infinity',
      },
    ],
  });
  await subject.end();
  await lease.release();
});

it('says of a wrong statement what is wrong, and of a missing table that it is missing', async () => {
  const { lease, subject } = await engines.lease('a private server', 'CREATE TABLE t (id int)');
  await expect(lease.read('SELECT nothing FROM t')).rejects.toThrow(
    'postgres: column "nothing" does not exist, in: SELECT nothing FROM t',
  );
  expect(await lease.read('SELECT * FROM missing')).toEqual({ missing: 'relation "missing" does not exist' });
  expect(await lease.read('SELECT * FROM nowhere.t')).toEqual({ missing: 'relation "nowhere.t" does not exist' });
  await lease.wipe();
  expect(await lease.read('SELECT * FROM t')).toEqual({ missing: 'relation "t" does not exist' });
  expect(await lease.snapshot()).toEqual({ tables: {}, content: {} });
  await subject.query('CREATE TABLE t (id int)');
  expect(await lease.read('SELECT * FROM t')).toEqual({ rows: [] });
  await subject.end();
  await lease.release();
});
