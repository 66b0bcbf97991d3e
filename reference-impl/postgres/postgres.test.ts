import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message, PostgresSite, ReportedOutcome, SendBatchPort } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
import { startCuttingProxy } from './fixtures/cutting-proxy.ts';
import { schemaPerTest } from './fixtures/schema-per-test.ts';
import type { TestSchema } from './fixtures/server.ts';
import backend from './index.ts';

let schema: TestSchema;
let admin: Client;
let sender: SendBatchPort;

schemaPerTest((own) => {
  schema = own;
  admin = own.admin;
});
afterEach(() => sender.close?.());

function opened(variant: string, site: PostgresSite = schema.site): Promise<SendBatchPort> {
  return openVariant(backend, variant, site);
}

/** Sends by the sender; one that tells failures in its outcomes fails here like the others. */
async function sendBatch(messages: readonly Message[]): Promise<ReportedOutcome[]> {
  const outcomes = await sender.sendBatch(messages, {});
  if (!outcomes.some((outcome) => 'failed' in outcome)) return [...outcomes];
  const errors = outcomes.map((outcome) => ('failed' in outcome ? outcome.failed : undefined));
  expect(errors).toEqual(messages.map(() => errors[0]));
  throw errors[0];
}

async function idsOf(sent: Promise<ReportedOutcome[]>): Promise<string[]> {
  return (await sent).map((outcome) => ('stored' in outcome ? String(outcome.stored) : 'failed'));
}

type Row = Record<string, unknown>;

/** What is stored, in the order of the ids; instants as milliseconds from the row's creation. */
async function rows(): Promise<Row[]> {
  const { rows } = await admin.query<Row>(`
    SELECT m.id::text AS id, body::text AS body, destination, priority, route, correlation_id, headers::text AS headers,
           extract(epoch FROM due_at - created_at)::float8 * 1000 AS due,
           extract(epoch FROM expires_at - created_at)::float8 * 1000 AS expires, attempts
    FROM messages m LEFT JOIN message_headers h ON h.message_id = m.id ORDER BY m.id`);
  return rows;
}

/** The bodies and headers behind some ids, in the order of the ids. */
async function behind(ids: readonly string[]): Promise<unknown[]> {
  const byId = new Map((await rows()).map((row) => [row.id, row]));
  return ids.map((id) => [byId.get(id)?.body, byId.get(id)?.headers]);
}

/** Messages that are told apart by their bodies and, where they have some, by their headers. */
function numbered(count: number, withHeaders: (i: number) => boolean = () => true): Message[] {
  return Array.from({ length: count }, (_, i) => ({ body: i, ...(withHeaders(i) && { headers: { i } }) }));
}

function asStored(messages: readonly Message[]): unknown[] {
  return messages.map(({ body, headers }) => [JSON.stringify(body), headers ? JSON.stringify(headers) : null]);
}

const full: Message = {
  body: { a: [1, 'two', null] },
  destination: 'orders',
  delay: 0,
  expiration: 5001,
  priority: 0,
  route: '',
  correlationId: 'c\\\t"\n',
  headers: { x: 1 },
};
const storedFull = {
  body: '{"a":[1,"two",null]}',
  destination: 'orders',
  priority: '0',
  route: '',
  correlation_id: 'c\\\t"\n',
  headers: '{"x":1}',
  due: 0,
  expires: 5001,
  attempts: 0,
};
const storedBare = {
  body: '"bare"',
  destination: null,
  priority: null,
  route: null,
  correlation_id: null,
  headers: null,
  due: null,
  expires: null,
  attempts: 0,
};

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(async () => {
    sender = await opened(variant);
  });

  test('stores every option, and null for what was left out, as the single path does', async () => {
    await sendBatch([full, { body: 'bare' }, { body: 'empty', headers: {} }]);
    await sender.send!(full, {});
    await sender.send!({ body: 'bare' }, {});
    // Which of a batch gets which id is nobody's promise.
    const found = (await rows()).map(({ id, ...row }) => row);
    const batch = [storedFull, storedBare, { ...storedBare, body: '"empty"', headers: '{}' }];
    expect(found.slice(0, 3)).toEqual(expect.arrayContaining(batch));
    expect(found.slice(3)).toEqual([storedFull, storedBare]);
  });

  test.each([1, 257, 499, 500, 501, 1201, 5000])('reports the ids of %i messages in their order', async (count) => {
    await sendBatch([{ body: 'earlier' }]);
    const messages = numbered(count, (i) => i % 3 > 0);
    const ids = await idsOf(sendBatch(messages));
    expect(await behind(ids)).toEqual(asStored(messages));
  });

  test('stamps all rows of a batch with one moment of the database’s clock', async () => {
    const before = (await admin.query<{ now: Date }>('SELECT clock_timestamp() AS now')).rows[0]!.now;
    await sendBatch(numbered(1201));
    const stamps = await admin.query<{ at: Date; inTime: boolean }>(
      'SELECT DISTINCT created_at AS at, created_at BETWEEN $1 AND clock_timestamp() AS "inTime" FROM messages',
      [before],
    );
    expect(stamps.rows).toEqual([{ at: expect.any(Date), inTime: true }]);
  });

  test('keeps instants to the millisecond, in whatever zone the session is', async () => {
    const zone = encodeURIComponent('-c timezone=America/New_York ');
    const abroad = await opened(variant, {
      ...schema.site,
      url: schema.site.url.replace('options=', `options=${zone}`),
    });
    // One in each month of a year, so that some lie beyond the change to summer time or back.
    const due = Array.from({ length: 12 }, (_, month) => month * 30 * 86_400_000 + month);
    await abroad.sendBatch(
      due.map((delay, month) => ({ body: month, delay, expiration: delay + 1 })),
      {},
    );
    await abroad.send!({ body: 12, delay: due[6]!, expiration: due[7]! }, {});
    await abroad.close!();
    const found = (await rows()).sort((one, other) => Number(one.body) - Number(other.body));
    expect(found.map((row) => [row.due, row.expires])).toEqual([
      ...due.map((delay) => [delay, delay + 1]),
      [due[6], due[7]],
    ]);
  });

  test('keeps ids above 2^53, whichever way they step', async () => {
    await admin.query(
      'ALTER TABLE messages ALTER id SET INCREMENT BY -3 SET START 9007199254740993 SET MAXVALUE 9007199254740993 RESTART',
    );
    const messages = numbered(1201);
    const ids = await idsOf(sendBatch(messages));
    expect(ids).toContain('9007199254740993');
    expect(await behind(ids)).toEqual(asStored(messages));
  });

  test('names the right rows when the engine gives ids in no order', async () => {
    await admin.query(`
      CREATE FUNCTION scatter() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.id := NEW.id * 7919 % 10007; RETURN NEW; END $$;
      CREATE TRIGGER scatter BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION scatter()`);
    const messages = numbered(1201);
    const ids = await idsOf(sendBatch(messages));
    expect(ids.map(Number)).not.toEqual(ids.map(Number).sort((a, b) => a - b));
    expect(await behind(ids)).toEqual(asStored(messages));
  });

  test('asks nothing of the order in which rows come back', async () => {
    const query = Client.prototype.query as (...args: unknown[]) => Promise<{ rows: Row[] }>;
    const reversed = vi.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...args) {
      const result = await query.apply(this, args);
      result?.rows?.reverse();
      return result as never;
    });
    const messages = numbered(1201);
    try {
      const ids = await idsOf(sendBatch(messages));
      reversed.mockRestore();
      expect(await behind(ids)).toEqual(asStored(messages));
    } finally {
      reversed.mockRestore();
    }
  });

  test.each(['messages', 'message_headers'])(
    'leaves nothing when the engine refuses a late row of %s',
    async (table) => {
      await admin.query(`
      CREATE SEQUENCE counted;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF nextval('counted') = 1101 THEN RAISE 'refused by the engine'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER refusal BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
      const batch = numbered(1201);
      await expect(sendBatch(batch)).rejects.toThrow('refused by the engine');
      expect(await rows()).toEqual([]);
      expect((await admin.query('SELECT FROM message_headers')).rowCount).toBe(0);
      expect(await sendBatch(batch)).toHaveLength(1201);
      expect(await rows()).toHaveLength(1201);
    },
  );

  test('undoes a batch whose commit is refused', async () => {
    await admin.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at the commit'; END $$;
      CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()`);
    await expect(sendBatch([full, full])).rejects.toThrow('refused at the commit');
    expect(await rows()).toEqual([]);
    await admin.query('DROP TRIGGER refusal ON messages');
    expect(await sendBatch([full])).toHaveLength(1);
  });

  test('tells that its session was ended in the middle, and goes on with another', async () => {
    await admin.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
    const sending = sendBatch([full, full]);
    const refusal = expect(sending).rejects.toMatchObject({ code: '57P01' });
    const waiting = "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
    while ((await admin.query(waiting, [schema.site.schema])).rowCount === 0) {
      // The activity is read once in a transaction, unless it is read anew.
      await admin.query('SELECT pg_stat_clear_snapshot()');
    }
    await schema.endSessions();
    await refusal;
    await admin.query('COMMIT');
    expect(await rows()).toEqual([]);
    expect(await sendBatch([full])).toHaveLength(1);
  });

  test('tells a lost answer from a failure', async () => {
    const proxy = await startCuttingProxy(schema.site.port);
    const url = schema.site.url.replace(`:${schema.site.port}/`, `:${proxy.port}/`);
    const behindProxy = await opened(variant, { ...schema.site, url });
    proxy.cutAt = variant === 'unnest' || variant === 'procedure' ? 'cut here' : 'COMMIT\0';
    const lost = expect.objectContaining({ name: 'AnswerLost', unknown: true });
    const sending = behindProxy.sendBatch([{ body: 'cut here' }], {});
    if (variant === 'values') expect(await sending).toEqual([{ unknown: lost }]);
    else await expect(sending).rejects.toEqual(lost);
    expect(await rows()).toHaveLength(1);
    await behindProxy.close!();
    await proxy.close();
  });

  test('a call that is aborted ends at once, and nothing of it is stored', async () => {
    const controller = new AbortController();
    await admin.query('BEGIN; LOCK TABLE messages');
    const call = sender.sendBatch(numbered(3), { signal: controller.signal });
    const settled = Promise.resolve(call).catch((thrown: unknown) => ({ thrown }));
    await vi.waitFor(
      async () => {
        // Inside a transaction the server would tell the same again.
        await admin.query('SELECT pg_stat_clear_snapshot()');
        const sessions = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`;
        expect((await admin.query(sessions, [schema.site.schema])).rowCount).toBe(1);
      },
      { timeout: 30_000 },
    );
    controller.abort();
    // A statement that commits itself may have done so; whoever opened a transaction knows that it was not committed.
    const commitsItself = variant === 'unnest' || variant === 'procedure';
    const error = expect.objectContaining(commitsItself ? { unknown: true } : { name: 'AbortError' });
    expect(await settled).toEqual(variant === 'values' ? Array(3).fill({ failed: error }) : { thrown: error });
    // What has waited goes on when the lock does; where it does not commit itself, that leads to nothing.
    await admin.query('COMMIT');
    expect(await sendBatch([full])).toHaveLength(1);
    if (!commitsItself) expect(await rows()).toHaveLength(1);
  });

  test('reads every message before it writes, and says which one it refuses', async () => {
    const unreadable = {
      get a() {
        throw new Error('not readable');
      },
    };
    for (const body of [unreadable, undefined, () => 1, 1n, Number.NaN, new Date(0), new Uint8Array(1)]) {
      const refusal = expect(sendBatch([full, { body }, full])).rejects;
      await refusal.toThrow(expect.objectContaining({ position: 1 }));
    }
    for (const option of [
      { delay: -1 },
      { delay: 1.5 },
      { priority: null },
      { route: 'a\0' },
      { destination: '\ud800' },
      { job: 'j' },
      { id: '7' },
      { columns: { c: 1 } },
    ]) {
      const refusal = expect(sendBatch([full, { body: 1, ...option } as Message])).rejects;
      await refusal.toThrow(expect.objectContaining({ position: 1 }));
    }
    expect(await rows()).toEqual([]);
  });

  test('stores what the messages were when it was called', async () => {
    const message = structuredClone(full);
    const sending = sendBatch([message]);
    message.body = 'changed';
    delete message.route;
    await sending;
    expect(await rows()).toEqual([{ id: '1', ...storedFull }]);
  });

  test('keeps lone surrogates and NUL in bodies and headers', async () => {
    const values = ['\ud800', 'a\0b', '\u{1f600}', { '\0': '\udfff' }, '\\\\N', '\t', -0];
    await sendBatch([{ body: values, headers: { values } }]);
    const [row] = await rows();
    expect(JSON.parse(row!.body as string)).toEqual(values);
    expect(JSON.parse(row!.headers as string)).toEqual({ values });
  });

  test('an empty batch sends no statement', async () => {
    await admin.query('DROP TABLE messages');
    expect(await sendBatch([])).toEqual([]);
    await expect(sendBatch([full])).rejects.toThrow('"messages" does not exist');
  });

  test('a row that the engine leaves out is never taken for another one', async () => {
    await admin.query(`
      CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.slot = 1 THEN RETURN NULL; END IF; RETURN NEW; END $$;
      CREATE TRIGGER leave_out BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION leave_out()`);
    await expect(sendBatch(numbered(3, () => false))).rejects.toThrow();
    // A single statement that commits itself has no way back from there.
    expect(await rows()).toHaveLength(variant === 'unnest' ? 2 : 0);
  });

  test('several senders can create the tables at once', async () => {
    await admin.query(`DROP SCHEMA ${schema.site.schema} CASCADE; CREATE SCHEMA ${schema.site.schema}`);
    const senders = await Promise.all(Array.from({ length: 5 }, () => opened(variant)));
    const ids = await Promise.all(
      senders.map(async (each) => {
        const [outcome] = await each.sendBatch([full], {});
        await each.close!();
        return (outcome as { stored: string }).stored;
      }),
    );
    expect(new Set(ids).size).toBe(5);
  });
});

/**
 * Returned rows in an order that is not that of the statement: a view whose rule sorts what it is to insert by another
 * column. (PostgreSQL lets no rule rewrite an insert that reads from another part of its statement, as `unnest` and `procedure` do.)
 */
const sortByRule = `
  ALTER TABLE messages RENAME TO kept;
  CREATE VIEW messages AS SELECT * FROM kept;
  CREATE RULE sorted AS ON INSERT TO messages DO INSTEAD
    INSERT INTO kept (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
    SELECT NEW.slot, NEW.body, NEW.destination, NEW.priority, NEW.route, NEW.correlation_id, NEW.due_at, NEW.expires_at
    ORDER BY NEW.route COLLATE "C"
    RETURNING kept.*;
`;

test.each(['values', 'copy'])('%s asks nothing of the order of RETURNING', async (variant) => {
  sender = await opened(variant);
  await admin.query(sortByRule);
  const messages = numbered(300).map((message, i) => ({
    ...message,
    route: String((i * 7919) % 10007).padStart(5, '0'),
  }));
  const ids = await idsOf(sendBatch(messages));
  expect(await behind(ids)).toEqual(asStored(messages));
  const inOrder = ids.map(Number).sort((a, b) => a - b);
  expect(ids.map(Number)).not.toEqual(inOrder);
  // Taking them in the order of the ids would have named other messages' rows.
  expect(await behind(inOrder.map(String))).not.toEqual(asStored(messages));
});

test('the pool outlives sessions that end while nobody uses them', async () => {
  sender = await opened('values');
  await sendBatch([full]);
  await schema.endSessions();
  const next = () => sendBatch([full]);
  await vi.waitFor(next, { timeout: 30_000 });
  expect(await rows()).toHaveLength(2);
});
