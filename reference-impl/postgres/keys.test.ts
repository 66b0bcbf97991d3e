import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message, ReportedOutcome, SendBatchPort, SendOptions } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
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

async function open(variant: string): Promise<void> {
  sender = await openVariant(backend, variant, schema.site);
}

/** Sends by the sender; one that tells failures in its outcomes fails here like the others. */
async function sendBatch(messages: readonly Message[], options: SendOptions = {}): Promise<ReportedOutcome[]> {
  const outcomes = await sender.sendBatch(messages, options);
  for (const outcome of outcomes) if ('failed' in outcome) throw outcome.failed;
  return [...outcomes];
}

async function stored(): Promise<unknown[]> {
  const { rows } = await admin.query(
    `SELECT dedupe_key AS key, body::text AS body, headers::text AS headers
     FROM messages LEFT JOIN message_headers ON message_id = id ORDER BY body::text, id`,
  );
  return rows;
}

/** Resolves when that many sessions of the sender wait for a lock. */
function waiting(sessions: number): Promise<void> {
  const count = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`;
  return vi.waitFor(
    async () => {
      // Inside a transaction the server would tell the same again.
      await admin.query('SELECT pg_stat_clear_snapshot()');
      expect((await admin.query(count, [schema.site.schema])).rowCount).toBe(sessions);
    },
    { timeout: 30_000 },
  );
}

/** Inserts a row with a key, as another writer does. */
function take(client: Client, key: string): Promise<unknown> {
  return client.query('INSERT INTO messages (slot, body, dedupe_key) VALUES (0, $1, $2)', ['"holder"', key]);
}

function keyed(count: number): Message[] {
  return Array.from({ length: count }, (_, i) => ({
    body: i,
    dedupeKey: `key ${(i * 7919) % 10007}`,
    ...(i % 3 > 0 && { headers: { i } }),
  }));
}

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(() => open(variant));

  test('stores each key once, and names the row that holds it', async () => {
    expect(await sendBatch([{ body: 1, dedupeKey: 'b', headers: { n: 1 } }])).toEqual([{ stored: '1' }]);
    const outcomes = await sendBatch([
      { body: 2, dedupeKey: 'c', headers: { n: 2 } },
      { body: 1, dedupeKey: 'b', destination: 'elsewhere', headers: { n: 3 } },
      { body: 3 },
      { body: 4, dedupeKey: 'c', headers: { n: 4 } },
      { body: 3 },
      { body: 5, dedupeKey: '' },
    ]);
    const id = expect.stringMatching(/^\d+$/);
    const [c, , , , , blank] = outcomes as { stored: string }[];
    expect(outcomes).toEqual([
      { stored: id },
      { duplicate: '1' },
      { stored: id },
      { duplicate: c!.stored, differs: true },
      { stored: id },
      { stored: id },
    ]);
    expect(await sender.send!({ body: 5, dedupeKey: '' }, {})).toEqual({ duplicate: blank!.stored });
    expect(await sender.send!({ body: 6, dedupeKey: 'C' }, {})).toEqual({ stored: id });
    expect(await stored()).toEqual([
      { key: 'b', body: '1', headers: '{"n":1}' },
      { key: 'c', body: '2', headers: '{"n":2}' },
      { key: null, body: '3', headers: null },
      { key: null, body: '3', headers: null },
      { key: '', body: '5', headers: null },
      { key: 'C', body: '6', headers: null },
    ]);
  });

  test('a batch that is sent again is recognised, with new messages between', async () => {
    const batch = keyed(601);
    const first = (await sendBatch(batch)) as { stored: string }[];
    const again = await sendBatch(
      batch.flatMap((message, i) => [message, { body: `new ${i}`, dedupeKey: `new ${i}` }]),
    );
    expect(again).toEqual(first.flatMap(({ stored: id }) => [{ duplicate: id }, { stored: expect.any(String) }]));
    expect(await stored()).toHaveLength(1202);
  });

  test.each(['COMMIT', 'ROLLBACK'])('waits for another writer who holds a key, until his %s', async (end) => {
    await admin.query('BEGIN');
    await take(admin, 'held');
    const sending = sendBatch([{ body: 'z', dedupeKey: 'z' }, { body: 'holder', dedupeKey: 'held' }, { body: 'a' }]);
    await waiting(1);
    await admin.query(end);
    const [z, held, a] = await sending;
    expect([z, a]).toEqual([{ stored: expect.any(String) }, { stored: expect.any(String) }]);
    expect(held).toEqual(end === 'COMMIT' ? { duplicate: '1' } : { stored: expect.any(String) });
    expect(await stored()).toHaveLength(3);
  });

  test('takes its keys in their order, whatever that of the messages', async () => {
    const other = new Client(schema.site.url);
    await other.connect();
    // Where that row had to wait, it would wait for ever.
    await other.query("SET lock_timeout = '20s'");
    await admin.query('BEGIN');
    await take(admin, 'm');
    const sending = sendBatch(['z', 'm', 'a'].map((key) => ({ body: key, dedupeKey: key })));
    await waiting(1);
    await take(other, 'z');
    await other.end();
    await admin.query('ROLLBACK');
    const id = expect.any(String);
    expect(await sending).toEqual([{ duplicate: id, differs: true }, { stored: id }, { stored: id }]);
  });

  test.each(['messages', 'message_headers', ...(variant === 'procedure' ? ['message_statuses'] : [])])(
    'leaves nothing when the engine refuses a late row of %s',
    async (table) => {
      await sendBatch(keyed(1));
      await admin.query(`
        CREATE SEQUENCE counted;
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN IF nextval('counted') = 601 THEN RAISE 'refused by the engine'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER refusal BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
      await expect(sendBatch(keyed(1201))).rejects.toThrow('refused by the engine');
      expect(await stored()).toHaveLength(1);
      expect(await sendBatch(keyed(1201))).toHaveLength(1201);
      expect(await stored()).toHaveLength(1201);
    },
  );

  test('the row of another unique value is no duplicate but an error', async () => {
    await admin.query('CREATE UNIQUE INDEX another ON messages (route)');
    const clash = sendBatch([
      { body: 1, dedupeKey: 'a', route: 'r' },
      { body: 2, dedupeKey: 'b', route: 'r' },
    ]);
    await expect(clash).rejects.toMatchObject({ code: '23505', retryable: false });
    expect(await stored()).toEqual([]);
  });

  test('when the holder of a key is gone, the batch fails whole and may be sent again', async () => {
    await admin.query(`
      CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.dedupe_key = 'k' THEN RETURN NULL; END IF; RETURN NEW; END $$;
      CREATE TRIGGER leave_out BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION leave_out()`);
    const attempt = sendBatch([{ body: 1 }, { body: 2, dedupeKey: 'k' }]);
    await expect(attempt).rejects.toMatchObject({ retryable: true });
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['40P01', true],
    ['40001', true],
    ['55P03', true],
    ['23502', false],
    ['22001', false],
    ['42501', false],
  ])('tells of error %s whether another attempt can succeed: %s', async (code, retryable) => {
    await admin.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'refused' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER refusal BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()`);
    await expect(sendBatch([{ body: 1 }, { body: 2 }])).rejects.toMatchObject({ code, retryable });
    const single = Promise.resolve(sender.send!({ body: 1 }, {})).then((outcome) => {
      throw (outcome as { failed: unknown }).failed;
    });
    await expect(single).rejects.toMatchObject({ code, retryable });
  });

  test('sends as many statements as are due', async () => {
    const sent = async (messages: readonly Message[]) => {
      const query = vi.spyOn(Client.prototype, 'query');
      await sendBatch(messages);
      const statements = query.mock.calls.length;
      query.mockRestore();
      return statements;
    };
    // Rows, headers where they go apart, and what a transaction takes; for held keys a look-up.
    const bare = keyed(501).map(({ body, dedupeKey }) => ({ body, dedupeKey }) as Message);
    const plain = bare.map(({ body }) => ({ body }));
    const due = {
      unnest: [1, 3, 4],
      values: [4, 4, 5],
      copy: [5, 5, 6],
      procedure: [1, 1, 1],
      loop: [503, 503, 504],
    };
    expect([await sent(plain), await sent(bare), await sent(bare)]).toEqual(due[variant as keyof typeof due]);
  });
});

test('values cuts its chunks by the size that the caller asks for', async () => {
  await open('values');
  const batch = keyed(12_000).map(({ body }) => ({ body }));
  for (const chunkSize of [799, 11_999, Number.MAX_SAFE_INTEGER]) {
    expect(await sendBatch(batch, { chunkSize })).toHaveLength(12_000);
  }
  for (const chunkSize of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(sendBatch(batch, { chunkSize })).rejects.toThrow('chunkSize');
  }
  expect(await stored()).toHaveLength(36_000);
});

test('procedure writes a status row for each message that it stores, and for no other', async () => {
  await open('procedure');
  await sendBatch([{ body: 1, dedupeKey: 'a' }, { body: 1, dedupeKey: 'a' }, { body: 2 }]);
  await sender.send!({ body: 3 }, {});
  const { rows } = await admin.query(
    'SELECT body::text, status FROM messages JOIN message_statuses ON message_id = id ORDER BY body::text',
  );
  expect(rows).toEqual(['1', '2', '3'].map((body) => ({ body, status: 'waiting' })));
  expect((await admin.query('SELECT FROM message_statuses')).rowCount).toBe(3);
});
