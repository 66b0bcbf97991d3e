import { once } from 'node:events';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { client } from './fixtures/messages.ts';
import { RawClient } from './fixtures/raw-client.ts';
import { startTestServer, type TestServer } from './fixtures/server.ts';
import { type Moment, openTap, type Tap, type Traffic, type WireStatement } from './index.ts';

let server: TestServer;
let tap: Tap;
let direct: pg.Client;
let c: pg.Client;

const own = { user: 'postgres', database: 'postgres' };
const { parse, bind, execute, sync, flush, query, copyData, copyDone } = client;

async function connect(to: { host: string; port: number }): Promise<pg.Client> {
  const { host, port } = to;
  const opened = new pg.Client({ ...own, host, port });
  // A connection that the server ends says so in an event of its own.
  opened.on('error', () => {});
  await opened.connect();
  return opened;
}

/** What passed during the work. */
async function during(work: () => Promise<unknown>, options: Parameters<Tap['record']>[0] = {}): Promise<Traffic> {
  const recording = tap.record(options);
  await work();
  return recording.stop();
}

async function errorOf(work: Promise<unknown>): Promise<{ message: string; code?: string }> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

function rows(statements: WireStatement[]): unknown[][] {
  return statements.map((s) => [s.kind, s.text, s.sqlstate ?? s.rows ?? s.returned]);
}

beforeAll(async () => {
  server = await startTestServer();
  direct = await connect(server);
});

afterAll(async () => {
  await direct?.end();
  await server?.stop();
});

beforeEach(async () => {
  tap = await openTap({ upstream: server });
  await direct.query('DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY, body text)');
  c = await connect(tap);
});

afterEach(async () => {
  await c.end();
  await tap.close();
});

describe('statements of pg', () => {
  it('simple and prepared ones are seen with kind, text, rows, parameters and time', async () => {
    const traffic = await during(async () => {
      await c.query('SELECT 1; SELECT 2');
      await c.query('INSERT INTO t SELECT n, $1 FROM generate_series(1, 500) n', ['x']);
      await c.query({ name: 'all', text: 'SELECT * FROM t' });
      await c.query({ name: 'all', text: 'SELECT * FROM t' });
      await c.query('WITH gone AS (DELETE FROM t RETURNING id) SELECT count(*) FROM gone');
    });
    expect(rows(traffic.statements)).toEqual([
      ['read', 'SELECT 1', 1],
      ['read', 'SELECT 2', 1],
      ['write', 'INSERT INTO t SELECT n, $1 FROM generate_series(1, 500) n', 500],
      ['read', 'SELECT * FROM t', 500],
      ['read', 'SELECT * FROM t', 500],
      ['write', 'WITH gone AS (DELETE FROM t RETURNING id) SELECT count(*) FROM gone', 1],
    ]);
    expect(traffic.statements[2]!.parameters).toEqual(["'x'"]);
    expect(traffic).toMatchObject({ roundTrips: 5, transactions: 5 });
    const times = traffic.statements.flatMap((s) => [s.startedMs, s.endedMs]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(traffic.startedMs);
  });

  it('a statement that was prepared before the recording is known by its text', async () => {
    await c.query({ name: 'put', text: 'INSERT INTO t VALUES ($1, $2)', values: [1, 'a'] });
    const { statements } = await during(() =>
      c.query({ name: 'put', text: 'unused', values: [2, 'b'] }).catch(() => {}),
    );
    expect(statements).toEqual([]);
    const again = await during(() =>
      c.query({ name: 'put', text: 'INSERT INTO t VALUES ($1, $2)', values: [2, null] }),
    );
    expect(again.statements).toMatchObject([
      { kind: 'write', text: 'INSERT INTO t VALUES ($1, $2)', rows: 1, parameters: ["'2'", 'NULL'] },
    ]);
  });

  it('errors are seen with code and message, and a COMMIT that does not commit as a rollback', async () => {
    const traffic = await during(async () => {
      await c.query('BEGIN');
      await c.query('INSERT INTO t VALUES (1)');
      await errorOf(c.query('INSERT INTO t VALUES ($1)', [1]));
      await errorOf(c.query('SELECT 1'));
      await c.query('COMMIT');
      await errorOf(c.query('SELEC'));
      await errorOf(c.query('SELECT 1 / $1::int', [0]));
      await errorOf(c.query('SELECT $1::int', ['x']));
      await errorOf(c.query('SELECT $1 FROM absent', ['x']));
    });
    expect(rows(traffic.statements)).toEqual([
      ['begin', 'BEGIN', undefined],
      ['write', 'INSERT INTO t VALUES (1)', 1],
      ['write', 'INSERT INTO t VALUES ($1)', '23505'],
      ['read', 'SELECT 1', '25P02'],
      ['rollback', 'COMMIT', undefined],
      ['other', 'SELEC', '42601'],
      ['read', 'SELECT 1 / $1::int', '22012'],
      ['read', 'SELECT $1::int', '22P02'],
      ['read', 'SELECT $1 FROM absent', '42P01'],
    ]);
    expect(traffic.statements[2]!.failed).toBe('duplicate key value violates unique constraint "t_pkey"');
    expect(traffic).toMatchObject({ roundTrips: 9, transactions: 5 });
  });

  it('a commit that fails, explicit or not, has failed', async () => {
    await direct.query('ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES t DEFERRABLE INITIALLY DEFERRED');
    await direct.query('ALTER TABLE t ADD up int REFERENCES t DEFERRABLE INITIALLY DEFERRED');
    const insert = 'INSERT INTO t (id, up) VALUES (1, 2)';
    const { statements } = await during(async () => {
      await errorOf(c.query(insert));
      await errorOf(c.query('INSERT INTO t (id, up) VALUES (1, $1)', [2]));
      await c.query('BEGIN');
      await c.query(insert);
      await errorOf(c.query('COMMIT'));
    });
    expect(rows(statements)).toEqual([
      ['write', insert, '23503'],
      ['write', 'INSERT INTO t (id, up) VALUES (1, $1)', '23503'],
      ['begin', 'BEGIN', undefined],
      ['write', insert, 1],
      ['commit', 'COMMIT', '23503'],
    ]);
    expect(statements.map((s) => s.transaction)).toEqual(
      [1, 2, 3, 3, 3].map((n) => n + statements[0]!.transaction - 1),
    );
  });

  it('COPY to the client is a read of so many bytes; one from a client that has no data has failed', async () => {
    await direct.query("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    const { statements } = await during(async () => {
      await c.query('COPY t TO STDOUT');
      await errorOf(c.query('COPY t FROM STDIN'));
    });
    expect(statements).toMatchObject([
      { kind: 'read', returned: 2, copied: 8 },
      { kind: 'write', sqlstate: '57014', copied: 0 },
    ]);
  });

  it('connections are numbered as they come; a start-up is a round trip', async () => {
    let second: pg.Client | undefined;
    const traffic = await during(async () => {
      second = await connect(tap);
      await Promise.all([c.query('SELECT 1'), second.query('SELECT 2')]);
    });
    await second!.end();
    expect(Object.fromEntries(traffic.statements.map((s) => [s.text, s.connection]))).toEqual({
      'SELECT 1': 1,
      'SELECT 2': 2,
    });
    expect(traffic.roundTrips).toBe(3);
  });

  it('bytes are counted both ways, large ones pass unchanged', async () => {
    const text = 'ü'.repeat(10_000_000);
    const traffic = await during(async () => {
      expect((await c.query('SELECT $1::text AS text', [text])).rows[0].text).toBe(text);
    });
    expect(traffic.bytesUp).toBeGreaterThan(20_000_000);
    expect(traffic.bytesUp).toBeLessThan(20_001_000);
    expect(traffic.bytesDown).toBeGreaterThan(20_000_000);
    expect(traffic.bytesDown).toBeLessThan(20_001_000);
  });
});

describe('what pg does not do', () => {
  let raw: RawClient;
  beforeEach(async () => {
    raw = await RawClient.open(tap);
  });
  afterEach(() => raw.close());

  const insert = (id: number): Buffer[] => [parse(`INSERT INTO t VALUES (${id})`), bind(), execute()];

  it('a pipeline up to one Sync fails as a whole', async () => {
    const traffic = await during(async () => {
      raw.send(...insert(1), ...insert(1), ...insert(2), sync);
      expect(await raw.until('Z')).toBe('12C12EZ');
    });
    expect(rows(traffic.statements)).toEqual([
      ['write', 'INSERT INTO t VALUES (1)', 1],
      ['write', 'INSERT INTO t VALUES (1)', '23505'],
      ['write', 'INSERT INTO t VALUES (2)', undefined],
    ]);
    expect(traffic.statements[2]!.failed).toMatch(/skipped/);
    expect(traffic).toMatchObject({ roundTrips: 1, transactions: 1 });
    expect((await direct.query('SELECT * FROM t')).rows).toEqual([]);
  });

  it('a pipeline of many Syncs has its replies matched in order', async () => {
    const count = 300;
    const traffic = await during(async () => {
      for (let n = 0; n < count; n++) raw.send(...insert(n % 200), sync);
      for (let n = 0; n < count; n++) await raw.until('Z');
    });
    const outcome = traffic.statements.map((s) => [s.text, s.sqlstate ?? s.rows]);
    expect(outcome).toEqual(
      Array.from({ length: count }, (_, n) => [`INSERT INTO t VALUES (${n % 200})`, n < 200 ? 1 : '23505']),
    );
    expect(traffic.transactions).toBe(count);
  });

  it('a cursor is fetched in parts', async () => {
    const traffic = await during(async () => {
      raw.send(parse('SELECT generate_series(1, 5)'), bind([], '', 'p'), execute('p', 2), flush);
      expect(await raw.until('s')).toBe('12DDs');
      raw.send(execute('p', 2), flush);
      await raw.until('s');
      raw.send(execute('p', 2), sync);
      expect(await raw.until('Z')).toBe('DCZ');
    });
    expect(traffic.statements.map((s) => s.text)).toEqual(Array(3).fill('SELECT generate_series(1, 5)'));
    expect(traffic).toMatchObject({ roundTrips: 3, transactions: 1 });
  });

  it.each([
    ['waits for the word of the server', true],
    ['sends all at once', false],
  ])('COPY from a client that %s', async (_, waits) => {
    const traffic = await during(async () => {
      const data = [copyData('1\ta\n2\t'), copyData('b\n'), copyDone, sync];
      raw.send(parse('COPY t FROM STDIN'), bind(), execute(), sync, ...(waits ? [] : data));
      await raw.until('G');
      if (waits) raw.send(...data);
      expect(await raw.until('Z')).toBe('CZ');
      raw.send(query('SELECT 1'));
      await raw.until('Z');
    });
    expect(traffic.statements).toMatchObject([
      { kind: 'write', rows: 2, copied: 8 },
      { kind: 'read', returned: 1 },
    ]);
    expect(traffic.roundTrips).toBe(waits ? 3 : 2);
    expect((await direct.query('SELECT * FROM t')).rows).toHaveLength(2);
  });

  it('messages that come byte by byte', async () => {
    const traffic = await during(async () => {
      const bytes = Buffer.concat([...insert(1), sync]);
      for (const byte of bytes) {
        await new Promise((written) => raw.socket.write(Buffer.from([byte]), written));
      }
      expect(await raw.until('Z')).toBe('12CZ');
    });
    expect(rows(traffic.statements)).toEqual([['write', 'INSERT INTO t VALUES (1)', 1]]);
  });

  it('a client that is gone inside a transaction leaves no row', async () => {
    const { pid } = (
      await direct.query(`SELECT pid FROM pg_stat_activity WHERE application_name = '' AND
      pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY backend_start DESC`)
    ).rows[0];
    raw.send(query('BEGIN; INSERT INTO t VALUES (1)'));
    await raw.until('Z');
    await raw.reset();
    // The server ends the session as soon as it sees that its client is gone.
    while ((await direct.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount) {}
    expect((await direct.query('SELECT * FROM t')).rows).toEqual([]);
  });
});

describe('a statement that is made to end', () => {
  const sleep = 'SELECT pg_sleep(60)';

  /** Resolves when the server is at work on the statement. */
  async function sleeping(): Promise<number> {
    for (;;) {
      const found = await direct.query("SELECT pid FROM pg_stat_activity WHERE query = $1 AND state = 'active'", [
        sleep,
      ]);
      if (found.rows.length > 0) return found.rows[0].pid;
    }
  }

  it('by another session', async () => {
    const { statements } = await during(async () => {
      const ended = errorOf(c.query(sleep));
      await direct.query('SELECT pg_cancel_backend($1)', [await sleeping()]);
      expect(await ended).toMatchObject({ code: '57014' });
    });
    expect(statements).toMatchObject([{ sqlstate: '57014', failed: 'canceling statement due to user request' }]);
    expect(statements[0]).not.toHaveProperty('cancelled');
  });

  it('by a cancel request through the tap', async () => {
    const { statements } = await during(async () => {
      const ended = errorOf(c.query(sleep));
      await sleeping();
      const { processID, secretKey } = c as unknown as { processID: number; secretKey: number };
      const key = Buffer.alloc(8);
      key.writeInt32BE(processID);
      key.writeInt32BE(secretKey, 4);
      const canceller = await RawClient.connect(tap);
      canceller.send(client.cancel(key));
      canceller.socket.resume();
      await once(canceller.socket, 'close');
      expect(await ended).toMatchObject({ code: '57014' });
    });
    expect(statements).toMatchObject([{ sqlstate: '57014', cancelled: true }]);
  });

  it('with its session', async () => {
    const { statements } = await during(async () => {
      const ended = errorOf(c.query(sleep));
      await direct.query('SELECT pg_terminate_backend($1)', [await sleeping()]);
      expect(await ended).toMatchObject({ code: '57P01' });
    });
    expect(statements).toMatchObject([{ sqlstate: '57P01' }]);
  });
});

describe('own traffic', () => {
  it('is that of connections that carried a mark, in a text, a parameter or COPY data', async () => {
    const raw = await RawClient.open(tap);
    const background = await connect(tap);
    const traffic = await during(
      async () => {
        await background.query('SELECT 1');
        await c.query("SELECT nextval('pg_catalog.pg_class_oid_index'::regclass)").catch(() => {});
        await c.query('BEGIN');
        await c.query('INSERT INTO t VALUES ($1, $2)', [1, `${'x'.repeat(200_000)} nonce-1 ${'y'.repeat(200_000)}`]);
        await c.query('COMMIT');
        raw.send(query('COPY t FROM STDIN'));
        await raw.until('G');
        raw.send(copyData('2\tabc non'), copyDone);
        await raw.until('Z');
        raw.send(query("INSERT INTO t VALUES (3, 'nonce-2')"));
        await raw.until('Z');
        await background.query('SELECT $1::text', ['nonce-3']);
      },
      { marks: ['nonce-1', 'nonce-2'] },
    );
    await raw.close();
    await background.end();
    expect(traffic.statements.map((s) => [s.connection, s.kind, s.own, s.marked])).toEqual([
      [3, 'read', false, false],
      [1, 'read', true, false],
      [1, 'begin', true, true],
      [1, 'write', true, true],
      [1, 'commit', true, true],
      [2, 'write', true, false],
      [2, 'write', true, true],
      [3, 'read', false, false],
    ]);
    expect(traffic).toMatchObject({ roundTrips: 9, transactions: 6, own: { roundTrips: 7, transactions: 4 } });
    expect(traffic.own.bytesUp).toBeLessThan(traffic.bytesUp);
  });

  it('is found in COPY data, and across the pieces in which it comes', async () => {
    const raw = await RawClient.open(tap);
    const traffic = await during(
      async () => {
        raw.send(query('COPY t FROM STDIN'));
        await raw.until('G');
        const data = copyData(`1\t${'x'.repeat(100_000)}nonce-1`);
        for (const piece of [data.subarray(0, -3), data.subarray(-3), copyDone]) {
          await new Promise((written) => raw.socket.write(piece, written));
        }
        await raw.until('Z');
      },
      { marks: ['nonce-1'] },
    );
    await raw.close();
    expect(traffic.statements).toMatchObject([{ own: true, marked: true }]);
  });
});

describe('a reader between statements', () => {
  it('looks before a statement is forwarded, while it runs, and before its reply is handed back', async () => {
    const looks: (Pick<Moment, 'at' | 'statements' | 'inFlight'> & { rows: number; after: boolean })[] = [];
    const locker = await connect(server);
    await locker.query('BEGIN; LOCK t IN SHARE MODE');
    const between = async (moment: Moment): Promise<void> => {
      const { at, statements, inFlight } = moment;
      const count = (await direct.query('SELECT count(*)::int AS n FROM t')).rows[0].n;
      looks.push({ at, statements, inFlight, rows: count, after: moment.inFlight });
      if (looks.filter((look) => look.at === 'running' && look.statements === 2).length === 6) await locker.end();
    };
    await during(
      async () => {
        await c.query('BEGIN');
        await c.query('INSERT INTO t SELECT generate_series(1, 3)');
        await c.query('COMMIT');
      },
      { between },
    );
    const seen = looks.map(({ at, statements, inFlight, rows: n }) => `${at} ${statements} ${inFlight} ${n}`);
    expect(seen.filter((step) => !step.startsWith('running'))).toEqual([
      'statement 0 false 0',
      'reply 1 true 0',
      'statement 1 true 0',
      'reply 2 true 0',
      'statement 2 true 0',
      'reply 3 false 3',
    ]);
    const inside = seen.filter((step) => step === 'running 2 true 0').length;
    expect(inside).toBeGreaterThanOrEqual(6);
    expect(inside).toBeLessThanOrEqual(40);
    // While a COMMIT runs a reader can see what it commits; before that it cannot.
    for (const look of looks) if (look.inFlight && look.after && look.statements < 3) expect(look.rows).toBe(0);
  });

  it('looks into one statement a bounded number of times', async () => {
    let looks = 0;
    await direct.query('BEGIN; LOCK t');
    const many = Promise.withResolvers<void>();
    const traffic = during(() => c.query('INSERT INTO t VALUES (1)'), {
      between: async ({ at }) => {
        if (at === 'running' && ++looks === 10) many.resolve();
      },
    });
    await many.promise;
    await direct.query('COMMIT');
    expect((await traffic).statements).toMatchObject([{ rows: 1 }]);
    expect(looks).toBeLessThanOrEqual(40);
  });

  it('holds up its own connection only, and nothing is reordered', async () => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const raw = await RawClient.open(tap);
    let first = true;
    const recording = tap.record({
      between: async () => {
        if (!first) return;
        first = false;
        asked.resolve();
        await held.promise;
      },
    });
    raw.send(query("SELECT 'one'"), query("SELECT 'two'"), query("SELECT 'three'"));
    await asked.promise;
    await c.query('INSERT INTO t VALUES (1)');
    const during = (await direct.query('SELECT * FROM t')).rows;
    expect(during).toHaveLength(1);
    held.resolve();
    const values: string[] = [];
    while (values.length < 3) {
      const { type, body } = await raw.next();
      if (type === 'D') values.push(body.toString('utf8', 6));
    }
    await raw.close();
    expect(values).toEqual(['one', 'two', 'three']);
    expect((await recording.stop()).statements).toHaveLength(4);
  });

  it('looks between the statements of a pipeline', async () => {
    const raw = await RawClient.open(tap);
    const looks: string[] = [];
    await during(
      async () => {
        raw.send(parse('INSERT INTO t VALUES ($1)'), bind(['1']), execute(), bind(['2']), execute(), sync);
        expect(await raw.until('Z')).toBe('12C2CZ');
      },
      {
        between: async (moment) => {
          const found = await direct.query('SELECT count(*)::int AS n FROM t');
          if (moment.at !== 'running')
            looks.push(`${moment.at} ${moment.statements} ${moment.inFlight} ${found.rows[0].n}`);
        },
      },
    );
    await raw.close();
    expect(looks).toEqual(['statement 0 false 0', 'statement 1 true 0', 'reply 2 false 2']);
  });

  it('looks into a single quick statement before the Sync that commits it', async () => {
    let inside = 0;
    await during(() => c.query('INSERT INTO t VALUES ($1)', [1]), {
      between: async (moment) => {
        const found = await direct.query('SELECT count(*)::int AS n FROM t');
        if (moment.at === 'running' && moment.inFlight && found.rows[0].n === 0) inside += 1;
      },
    });
    expect(inside).toBeGreaterThanOrEqual(3);
  });

  it('that fails makes the recording fail, not the connection', async () => {
    const recording = tap.record({ between: () => Promise.reject(new Error('no look')) });
    expect((await c.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await expect(recording.stop()).rejects.toThrow('no look');
  });
});

describe('a recording', () => {
  it('knows only what began while it was on', async () => {
    const early = tap.record();
    await c.query('SELECT 1');
    const late = tap.record();
    await c.query('SELECT 2');
    const stopped = await early.stop();
    await c.query('SELECT 3');
    expect(stopped.statements.map((s) => s.text)).toEqual(['SELECT 1', 'SELECT 2']);
    expect(await early.stop()).toBe(stopped);
    const later = await late.stop();
    expect(later.statements.map((s) => s.text)).toEqual(['SELECT 2', 'SELECT 3']);
    expect(later).toMatchObject({ roundTrips: 2, transactions: 2 });
  });

  it('that is stopped while a statement runs shows it as it stands', async () => {
    await direct.query('BEGIN; LOCK t');
    const recording = tap.record();
    const written = c.query('INSERT INTO t VALUES (1)');
    while (!(await direct.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount) {}
    const { statements } = await recording.stop();
    await direct.query('COMMIT');
    await written;
    expect(statements).toMatchObject([{ kind: 'write', text: 'INSERT INTO t VALUES (1)', transaction: 1 }]);
    expect(statements[0]!.endedMs).toBeGreaterThan(statements[0]!.startedMs);
    expect(statements[0]).not.toHaveProperty('rows');
  });
});
