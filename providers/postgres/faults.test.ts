import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, type Lease, LeftLocked, type RowFaultKind } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import type { PostgresSite } from '../sites.ts';
import { loadDriver } from './driver.ts';
import { type Place, places, startEngines, type TestEngines } from './fixtures/engines.ts';
import { StandIn } from './stand-in.ts';

let engines: TestEngines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const things = 'CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value text UNIQUE)';
const insert = (...values: string[]): string =>
  `INSERT INTO things (value) VALUES ${values.map((value) => `('${value}')`).join(', ')}`;

/** Runs a body on a lease with a table of things. */
function onLease(where: Place, body: (lease: Lease, subject: StandIn) => Promise<void>): Promise<void> {
  return engines.onLease(where, things, body);
}

/** SQLSTATEs by which a row is refused. */
const codes: Record<RowFaultKind, string> = {
  trigger: 'P0001',
  unique: '23505',
  'not-null': '23502',
  check: '23514',
  'too-long': '22001',
  serialization: '40001',
  'session-ended': '57P01',
};

const valuesIn = async (lease: Lease): Promise<unknown> => {
  const found = await lease.read('SELECT value FROM things ORDER BY id');
  return 'rows' in found ? found.rows.map(({ value }) => value) : found;
};

describe.each(places)('on %s', (where) => {
  it('a row fault springs at the n-th row and at every later one, over all transactions', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'row', table: 'things', nth: 3, kind: 'trigger' });
      expect(await subject.errorOf(insert('a'))).toBeNull();
      expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
      expect(await subject.errorOf(insert('b', 'c', 'd'))).toBe(`refused by ${armed.nonce}`);
      expect(await subject.errorOf(insert('e'))).toBe(`refused by ${armed.nonce}`);
      expect(await armed.sprung()).toEqual({ count: 2, rowsBefore: 2, raised: 2 });
      expect(await valuesIn(lease)).toEqual(['a']);
    }));

  it('a poisoned row is refused whenever it is sent, and no other', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'poison', table: 'things', text: 'bad-1' });
      expect(await subject.errorOf(insert('bad-2'))).toBeNull();
      for (let i = 0; i < 2; i++) {
        expect(await subject.errorOf(insert('good', 'a bad-1 one'))).toBe(`refused by ${armed.nonce}`);
      }
      expect(await subject.errorOf(insert(Buffer.from('bad-1').toString('hex')))).toBe(`refused by ${armed.nonce}`);
      expect(await subject.errorOf(insert('good'))).toBeNull();
      expect(await armed.sprung()).toEqual({ count: 3, rowsBefore: 2, raised: 3 });
      expect(await valuesIn(lease)).toEqual(['bad-2', 'good']);
      await armed.disarm();
      expect(await subject.errorOf(insert('bad-1'))).toBeNull();
    }));

  it('a serialization failure that is raised once lets the same rows pass when they are tried again', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'serialization', once: true });
      expect(await subject.errorOf(insert('a', 'b'))).toBe(`could not serialize access (${armed.nonce})`);
      expect(await subject.errorOf(insert('a', 'b'))).toBeNull();
      expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
      expect(await valuesIn(lease)).toEqual(['a', 'b']);
      await armed.disarm();
    }));

  it('a cut before the commit is sent leaves nothing, and tells what had passed', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'cut', point: { commit: 'before-sent' } });
      const watch = await lease.watch();
      await subject.query(`BEGIN; ${insert('a')}`);
      expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
      expect(await subject.errorOf('COMMIT')).not.toBeNull();
      await armed.reached;
      const { passed, ...sprung } = await armed.sprung();
      expect(sprung).toEqual({ count: 1, rowsBefore: 0, raised: 0 });
      expect(passed!.up).toBeGreaterThan(insert('a').length);
      expect((await lease.quiet()).words).toMatch(/connection/);
      expect(await valuesIn(lease)).toEqual([]);
      expect((await watch.stop()).interference).toMatchObject([
        { text: 'cut before "COMMIT" was sent', connection: 1 },
      ]);
      expect(await subject.errorOf(insert('b'))).toBeNull();
      await armed.disarm();
    }));

  it('a hold lasts until it is disarmed, a delay for its time, or until it is disarmed', () =>
    onLease(where, async (lease, subject) => {
      const held = await lease.arm({ at: 'hold', point: { commit: 'before-ack' } });
      const first = subject.query(insert('a'));
      await held.reached;
      expect(await valuesIn(lease)).toEqual(['a']);
      expect((await lease.quiet()).words).toBe('after 1 s connection 1 still has a statement held');
      await held.disarm();
      await first;
      const short = await lease.arm({ at: 'delay', point: { matching: 'INSERT' }, milliseconds: 5 });
      await subject.query(insert('b'));
      expect(await short.sprung()).toMatchObject({ count: 1 });
      const long = await lease.arm({ at: 'delay', point: { statement: 1 }, milliseconds: 600_000 });
      const last = subject.query(insert('c'));
      await long.reached;
      expect(await valuesIn(lease)).toEqual(['a', 'b']);
      await long.disarm();
      await last;
      expect(await valuesIn(lease)).toEqual(['a', 'b', 'c']);
    }));

  it('a commit by a function that may write is met', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(
        "CREATE FUNCTION put() RETURNS void LANGUAGE sql AS $$ INSERT INTO things (value) VALUES ('a') $$",
      );
      const armed = await lease.arm({ at: 'cut', point: { commit: 'before-sent' } });
      expect(await subject.errorOf('SELECT put()')).not.toBeNull();
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      const watch = await lease.watch();
      await subject.query('SELECT put()');
      expect((await watch.stop()).commits).toBe(1);
      await armed.disarm();
    }));

  it('what is armed on one lease does not touch another', () =>
    onLease(where, async (lease) => {
      const armed = await lease.arm({ at: 'cut', point: { statement: 1 } });
      await onLease(where, async (_, other) => expect(await other.errorOf(insert('a'))).toBeNull());
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      await armed.disarm();
    }));

  it('a row fault that fires once lets later rows pass', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'row', table: 'things', nth: 2, kind: 'unique', once: true });
      expect(await subject.errorOf(insert('a', 'b', 'c'))).toContain(armed.nonce);
      expect(await subject.errorOf(insert('a', 'b', 'c'))).toBeNull();
      await armed.disarm();
      await armed.disarm();
      expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
      expect(await valuesIn(lease)).toEqual(['a', 'b', 'c']);
    }));

  it.each(Object.entries(codes) as [RowFaultKind, string][])(
    'a row fault by %s is what it says, and no ON CONFLICT swallows it',
    (kind, code) =>
      onLease(where, async (lease, subject) => {
        const armed = await lease.arm({ at: 'row', table: 'things', nth: 2, kind });
        const failure = await subject
          .query(`${insert('a', 'b')} ON CONFLICT DO NOTHING`)
          .catch((cause: unknown) => cause);
        expect(failure).toMatchObject({ code });
        expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
        await armed.disarm();
        expect(await subject.errorOf(insert('a', 'b'))).toBeNull();
      }),
  );

  it('every kind of row fault springs at the n-th row that is changed, and at no other', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(insert('a', 'b', 'c'));
      for (const kind of lease.rowFaults) {
        const armed = await lease.arm({ at: 'row', on: 'update', table: 'things', nth: 2, kind, once: true });
        expect(
          await subject.errorOf(`${insert(kind, `${kind} 2`)}; UPDATE things SET value = 'none' WHERE false`),
        ).toBeNull();
        const change = `UPDATE things SET value = value || '!'`;
        const failure = await subject.query(change).catch((cause: unknown) => cause);
        expect(failure).toMatchObject({ code: codes[kind] });
        expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 1, raised: 1 });
        const upsert = `${insert('a')} ON CONFLICT (value) DO UPDATE SET value = excluded.value`;
        expect(await subject.errorOf(upsert)).toBeNull();
        await armed.disarm();
      }
      expect(await valuesIn(lease)).toEqual(['a', 'b', 'c', ...lease.rowFaults.flatMap((kind) => [kind, `${kind} 2`])]);
    }));

  it('rows that the judge puts back neither spring a trap nor count', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(insert('a', 'b'));
      const whole = await lease.snapshot();
      const armed = await lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' });
      await lease.restore(whole);
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      expect(await lease.snapshot()).toEqual(whole);
      await armed.disarm();
    }));

  it('a commit fault refuses the next commit that holds a row, and no other', () =>
    onLease(where, async (lease, subject) => {
      await subject.query('CREATE TABLE others (id int)');
      const armed = await lease.arm({ at: 'commit', table: 'things' });
      await subject.query('BEGIN; INSERT INTO others VALUES (1); COMMIT');
      await subject.query(`BEGIN; ${insert('undone')}; ROLLBACK`);
      await subject.query(`BEGIN; ${insert('a')}; ${insert('b')}`);
      expect(await armed.sprung()).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
      expect(await subject.errorOf('COMMIT')).toBe(`commit refused by ${armed.nonce}`);
      expect(await subject.errorOf(insert('c'))).toBeNull();
      expect(await armed.sprung()).toMatchObject({ count: 1, raised: 1 });
      expect(await valuesIn(lease)).toEqual(['c']);
      await armed.disarm();
    }));

  it('a rollback fault cuts the connection before the next rollback, but lets a part be undone', () =>
    onLease(where, async (lease, subject) => {
      const armed = await lease.arm({ at: 'rollback' });
      const watch = await lease.watch();
      await subject.query(`BEGIN; SAVEPOINT part; ${insert('a')}`);
      await subject.query('ROLLBACK TO part');
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      expect(await subject.errorOf('rollback')).not.toBeNull();
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      expect((await watch.stop()).interference).toMatchObject([{ text: 'cut before "rollback" was sent' }]);
      expect(await valuesIn(lease)).toEqual([]);
      await armed.disarm();
      await subject.query(`BEGIN; ${insert('b')}; ROLLBACK`);
    }));

  it('a trap reaches the partitions of a table, whose name may be odd', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(
        `CREATE TABLE "odd ""$trap$' name" (id int) PARTITION BY LIST (id);
         CREATE TABLE part PARTITION OF "odd ""$trap$' name" DEFAULT`,
      );
      for (const fault of [{ at: 'row', nth: 2, kind: 'check' } as const, { at: 'commit' } as const]) {
        const armed = await lease.arm({ ...fault, table: `odd "$trap$' name` });
        expect(await subject.errorOf('INSERT INTO part VALUES (1), (2)')).toContain(armed.nonce);
        expect(await armed.sprung()).toMatchObject({ count: 1 });
        await armed.disarm();
      }
    }));

  it('a lock keeps writers waiting, lets readers pass, and counts both who waits and who gives up', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(insert('a'));
      const armed = await lease.arm({ at: 'lock' });
      expect(await valuesIn(lease)).toEqual(['a']);
      expect(await subject.errorOf(`SET lock_timeout = 60; ${insert('b')}`)).toBe(
        'canceling statement due to lock timeout',
      );
      expect(await armed.sprung()).toEqual({ count: 1, rowsBefore: 0, raised: 1 });
      const waiting = subject.query(`SET lock_timeout = 0; ${insert('c')}`);
      while ((await armed.sprung()).count < 2);
      // It is the same session as before.
      const second = armed.waiting!(2).then(() => 'two');
      await armed.waiting!(1);
      expect(await Promise.race([second, 'one'])).toBe('one');
      const other = new StandIn(await loadDriver(), lease.site as PostgresSite);
      const waitingToo = other.query(insert('d'));
      expect(await second).toBe('two');
      await armed.disarm();
      await waiting;
      await waitingToo;
      await other.end();
      expect(await armed.sprung()).toEqual({ count: 3, rowsBefore: 0, raised: 1 });
      expect(new Set((await valuesIn(lease)) as string[])).toEqual(new Set(['a', 'c', 'd']));
    }));

  it('an identity goes on from any value in any steps, and then as before', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(insert('a', 'b'));
      const start = 2n ** 62n + 1n;
      const armed = await lease.arm({ at: 'identity', table: 'things', start, step: 3 });
      await subject.query(insert('c', 'd'));
      expect(await armed.sprung()).toMatchObject({ count: 2 });
      await armed.disarm();
      await subject.query(insert('e'));
      expect(await lease.read('SELECT id::text FROM things ORDER BY value')).toEqual({
        rows: ['1', '2', String(start), String(start + 3n), '3'].map((id) => ({ id })),
      });
    }));

  it.each([
    ['a serial column', 'id bigserial, a int'],
    ['a default of its own', "a int, id bigint DEFAULT nextval('plain')"],
  ])('the identity of a table can be %s', (_, columns) =>
    onLease(where, async (lease, subject) => {
      await subject.query(`CREATE SEQUENCE plain; CREATE TABLE t (${columns})`);
      const armed = await lease.arm({ at: 'identity', table: 't', start: 7n, step: 2 });
      await subject.query('INSERT INTO t (a) VALUES (0), (0)');
      expect(await lease.read('SELECT id FROM t ORDER BY id')).toEqual({ rows: [{ id: 7 }, { id: 9 }] });
      await armed.disarm();
    }),
  );

  it('an identity that is not there, or that is too narrow, is said to be so', () =>
    onLease(where, async (lease, subject) => {
      await subject.query('CREATE TABLE plain (id int); CREATE TABLE narrow (id serial)');
      const arm = (table: string) => lease.arm({ at: 'identity', table, start: 2n ** 53n, step: 1 });
      await expect(arm('plain')).rejects.toThrow(NotApplicable);
      await expect(arm('plain')).rejects.toThrow('no column of plain takes its values from a sequence');
      await expect(arm('narrow')).rejects.toThrow(
        'narrow: RESTART value (9007199254740992) cannot be greater than MAXVALUE',
      );
    }));

  it('everything that was armed goes with its table, and is disarmed without an error', () =>
    onLease(where, async (lease, subject) => {
      const faults: Fault[] = [
        { at: 'row', table: 'things', nth: 1, kind: 'unique' },
        { at: 'commit', table: 'things' },
        { at: 'identity', table: 'things', start: 5n, step: 1 },
      ];
      const armed = [];
      for (const fault of faults) armed.push(await lease.arm(fault));
      await lease.wipe();
      for (const one of armed) await one.disarm();
      await subject.query(things);
      expect(await subject.errorOf(insert('a'))).toBeNull();
    }));

  it('a lock that the subject has left behind is told as such', () =>
    onLease(where, async (lease, subject) => {
      await subject.query(`BEGIN; ${insert('a')}`);
      await expect(lease.arm({ at: 'row', table: 'things', nth: 1, kind: 'trigger' })).rejects.toThrow(LeftLocked);
      await expect(lease.arm({ at: 'lock' })).rejects.toThrow(LeftLocked);
      await subject.query('ROLLBACK');
    }));

  it('sessions that begin later are in the zone', () =>
    onLease(where, async (lease, subject) => {
      const zoneOf = async (): Promise<unknown> => (await subject.query('SHOW timezone'))[0];
      const armed = await lease.arm({ at: 'session', zone: 'Asia/Kathmandu' });
      expect(await zoneOf()).toEqual({ TimeZone: 'UTC' });
      expect(await armed.sprung()).toMatchObject({ count: 0 });
      await subject.end();
      expect(await zoneOf()).toEqual({ TimeZone: 'Asia/Kathmandu' });
      expect(await armed.sprung()).toMatchObject({ count: 1 });
      await armed.disarm();
      await subject.end();
      expect(await zoneOf()).toEqual({ TimeZone: 'UTC' });
      await expect(lease.arm({ at: 'session', zone: 'Mars/Olympus' })).rejects.toThrow('invalid value for parameter');
    }));
});

it('what belongs to the whole server is left alone on somebody’s', () =>
  onLease('a plain role by URL', async (lease) => {
    await expect(lease.arm({ at: 'crash', point: { statement: 1 } })).rejects.toThrow("the server is somebody's");
    expect(Object.keys(lease.facts.lacks)).toEqual(['crash']);
  }));
