import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Message, ReportedOutcome, SendBatchPort, SendOptions } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
import { directoryPerTest } from './fixtures/directory-per-test.ts';
import backend from './index.ts';

let path: string;
let other: DatabaseSync;
let sender: SendBatchPort;

directoryPerTest((directory) => {
  path = join(directory, 'messages.db');
});
afterEach(() => {
  sender.close?.();
  other.close();
});

async function open(variant: string): Promise<void> {
  sender = await openVariant(backend, variant, { provider: 'sqlite', mode: 'file', path });
  other = new DatabaseSync(path);
}

function sendBatch(messages: Message[], options: SendOptions = {}): ReportedOutcome[] {
  return sender.sendBatch(messages, options) as ReportedOutcome[];
}

function stored(): Record<string, unknown>[] {
  const statement =
    'SELECT dedupe_key AS key, body, headers FROM messages m LEFT JOIN message_headers ON message_id = id';
  return other
    .prepare(statement)
    .all()
    .map((row) => ({ ...row }));
}

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(() => open(variant));

  test('stores each key once, and names the row that holds it', () => {
    expect(sendBatch([{ body: 1, dedupeKey: 'b', headers: { n: 1 } }])).toEqual([{ stored: 1n }]);
    const outcomes = sendBatch([
      { body: 2, dedupeKey: 'c', headers: { n: 2 } },
      { body: 1, dedupeKey: 'b', destination: 'elsewhere', headers: { n: 3 } },
      { body: 3 },
      { body: 4, dedupeKey: 'c', headers: { n: 4 } },
      { body: 3 },
      { body: 5, dedupeKey: '' },
    ]);
    const [c, , , , , blank] = outcomes as { stored: bigint }[];
    expect(outcomes).toEqual([
      { stored: c!.stored },
      { duplicate: 1n },
      { stored: expect.any(BigInt) },
      { duplicate: c!.stored, differs: true },
      { stored: expect.any(BigInt) },
      { stored: blank!.stored },
    ]);
    expect(sender.send!({ body: 5, dedupeKey: '' }, {})).toEqual({ duplicate: blank!.stored });
    expect(sender.send!({ body: 6, dedupeKey: 'C' }, {})).toHaveProperty('stored');
    expect(stored().sort((one, two) => Number(one.body) - Number(two.body))).toEqual([
      { key: 'b', body: '1', headers: '{"n":1}' },
      { key: 'c', body: '2', headers: '{"n":2}' },
      { key: null, body: '3', headers: null },
      { key: null, body: '3', headers: null },
      { key: '', body: '5', headers: null },
      { key: 'C', body: '6', headers: null },
    ]);
  });

  test('a batch that is sent again is recognised, with new messages between', () => {
    const batch = Array.from({ length: 250 }, (_, i): Message => ({ body: i, dedupeKey: `key ${(i * 97) % 250}` }));
    const first = sendBatch(batch) as { stored: bigint }[];
    const again = sendBatch(batch.flatMap((message, i) => [message, { body: `new ${i}`, dedupeKey: `new ${i}` }]));
    expect(again).toEqual(first.flatMap(({ stored: id }) => [{ duplicate: id }, { stored: expect.any(BigInt) }]));
    expect(stored()).toHaveLength(500);
  });

  test.each(['messages', 'message_headers'])('leaves nothing when the engine refuses a row of %s', (table) => {
    sendBatch([{ body: 'held', dedupeKey: 'k0', headers: {} }]);
    other.exec(`CREATE TRIGGER refusal BEFORE INSERT ON ${table} WHEN (SELECT count(*) FROM ${table}) >= 120
                BEGIN SELECT RAISE(ABORT, 'refused by the engine'); END`);
    const batch = Array.from({ length: 250 }, (_, i): Message => ({ body: i, dedupeKey: `k${i}`, headers: {} }));
    expect(() => sendBatch(batch)).toThrow('refused by the engine');
    expect(stored()).toHaveLength(1);
  });

  test('the row of another unique value is no duplicate but an error', () => {
    other.exec('CREATE UNIQUE INDEX another ON messages (route)');
    const clash = () =>
      sendBatch([
        { body: 1, dedupeKey: 'a', route: 'r' },
        { body: 2, dedupeKey: 'b', route: 'r' },
      ]);
    expect(clash).toThrow(expect.objectContaining({ errcode: 2067, retryable: false }));
    expect(stored()).toEqual([]);
  });
});

test('values cuts its chunks by the size that the caller asks for', async () => {
  await open('values');
  const batch = Array.from({ length: 5000 }, (_, i): Message => ({ body: i }));
  for (const chunkSize of [7, 4999, Number.MAX_SAFE_INTEGER])
    expect(sendBatch(batch, { chunkSize })).toHaveLength(5000);
  for (const chunkSize of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => sendBatch(batch, { chunkSize })).toThrow('chunkSize');
  }
  expect(stored()).toHaveLength(15_000);
});

test('errors are told apart by whether another attempt can succeed', async () => {
  await open('prepared');
  other.exec('BEGIN IMMEDIATE');
  expect(() => sendBatch([{ body: 1 }])).toThrow(expect.objectContaining({ errcode: 5, retryable: true }));
  expect(() => sender.send!({ body: 1 }, {})).toThrow(expect.objectContaining({ errcode: 5, retryable: true }));
  other.exec('ROLLBACK; DROP TABLE messages');
  expect(() => sendBatch([{ body: 1 }])).toThrow(expect.objectContaining({ retryable: false }));
  expect(() => sender.send!({ body: 1 }, {})).toThrow(expect.objectContaining({ retryable: false }));
});
