import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message, ReportedOutcome, SendBatchPort } from '../../index.ts';
import { openVariant, variantsOf } from '../fixtures/open-variant.ts';
import { directoryPerTest } from './fixtures/directory-per-test.ts';
import backend from './index.ts';
import { storedMessages } from './schema.ts';

const now = 1_700_000_000_000;
let path: string;
let reader: DatabaseSync;
let sender: SendBatchPort;

directoryPerTest((directory) => {
  path = join(directory, 'messages.db');
});
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => {
  vi.restoreAllMocks();
  sender.close?.();
  reader.close();
});

async function open(variant: string): Promise<void> {
  sender = await openVariant(backend, variant, { provider: 'sqlite', mode: 'file', path });
  reader = new DatabaseSync(path);
}

function sendBatch(messages: Message[]): ReportedOutcome[] {
  return sender.sendBatch(messages, {}) as ReportedOutcome[];
}

function rows(): Record<string, unknown>[] {
  return reader
    .prepare(storedMessages)
    .all()
    .map((row) => ({ ...row }));
}

function idsOf(outcomes: ReportedOutcome[]): string[] {
  return outcomes.map((outcome) => ('stored' in outcome ? String(outcome.stored) : 'failed'));
}

const full: Message = {
  body: { a: [1, 'two', null] },
  destination: 'orders',
  delay: 0,
  expiration: 5000,
  priority: 0,
  route: '',
  correlationId: 'c',
  headers: { x: 1 },
};
const storedFull = {
  body: '{"a":[1,"two",null]}',
  destination: 'orders',
  priority: 0,
  route: '',
  correlationId: 'c',
  headers: '{"x":1}',
  dedupeKey: null,
  createdAt: now,
  dueAt: now,
  expiresAt: now + 5000,
  attempts: 0,
};
const storedBare = {
  body: '"bare"',
  destination: null,
  priority: null,
  route: null,
  correlationId: null,
  headers: null,
  dedupeKey: null,
  createdAt: now,
  dueAt: null,
  expiresAt: null,
  attempts: 0,
};

describe.each(variantsOf(backend, 'send-batch'))('%s', (variant) => {
  beforeEach(() => open(variant));

  test('stores every option, and null for what was left out, as the single path does', () => {
    sendBatch([full, { body: 'bare' }, { body: 'empty', headers: {} }]);
    sender.send!(full, {});
    sender.send!({ body: 'bare' }, {});
    expect(rows()).toEqual([
      { id: '1', ...storedFull },
      { id: '2', ...storedBare },
      { id: '3', ...storedBare, body: '"empty"', headers: '{}' },
      { id: '4', ...storedFull },
      { id: '5', ...storedBare },
    ]);
  });

  test.each([1, 99, 100, 101, 250])('reports the ids of %i messages in their order', (count) => {
    sendBatch([{ body: 'earlier' }]);
    const ids = idsOf(sendBatch(Array.from({ length: count }, (_, i) => ({ body: i, headers: { i } }))));
    const byId = new Map(rows().map((row) => [row.id, row]));
    expect(ids.map((id) => byId.get(id)?.body)).toEqual(ids.map((_, i) => String(i)));
    expect(ids.map((id) => byId.get(id)?.headers)).toEqual(ids.map((_, i) => `{"i":${i}}`));
  });

  test('keeps ids above 2^53', () => {
    reader.exec("INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', 9007199254740993)");
    const ids = idsOf(sendBatch([full, full]));
    expect(ids).toEqual(['9007199254740994', '9007199254740995']);
    expect(rows().map(({ id, headers }) => [id, headers])).toEqual(ids.map((id) => [id, '{"x":1}']));
  });

  test.each(['messages', 'message_headers'])('leaves nothing when the engine refuses a row of %s', (table) => {
    reader.exec(`CREATE TRIGGER refusal BEFORE INSERT ON ${table} WHEN (SELECT count(*) FROM ${table}) >= 120
                 BEGIN SELECT RAISE(ABORT, 'refused by the engine'); END`);
    const batch = Array.from({ length: 250 }, () => full);
    expect(() => sendBatch(batch)).toThrow('refused by the engine');
    expect(rows()).toEqual([]);
    reader.exec('DROP TRIGGER refusal');
    expect(sendBatch(batch)).toHaveLength(250);
    expect(rows()).toHaveLength(250);
  });

  test('keeps the first error when the engine has already rolled back', () => {
    reader.exec(`CREATE TRIGGER refusal BEFORE INSERT ON messages WHEN NEW.body = '2'
                 BEGIN SELECT RAISE(ROLLBACK, 'rolled back by the engine'); END`);
    expect(() => sendBatch([{ body: 1 }, { body: 2 }])).toThrow(/^rolled back by the engine$/);
    reader.exec('DROP TRIGGER refusal');
    sendBatch([{ body: 1 }, { body: 2 }]);
    expect(rows().map(({ body }) => body)).toEqual(['1', '2']);
  });

  test('undoes a batch whose commit is refused', () => {
    reader.exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
                 CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                 CREATE TRIGGER refusal AFTER INSERT ON messages BEGIN INSERT INTO child VALUES (1); END`);
    expect(() => sendBatch([full, full])).toThrow('FOREIGN KEY');
    expect(rows()).toEqual([]);
    reader.exec('DROP TRIGGER refusal');
    expect(sendBatch([full])).toHaveLength(1);
  });

  test('reads every message before it writes, and says which one it refuses', () => {
    const unreadable = {
      get a() {
        throw new Error('not readable');
      },
    };
    for (const body of [unreadable, undefined, () => 1, 1n, Number.NaN, new Date(0), new Uint8Array(1)]) {
      const refusal = expect(() => sendBatch([full, { body }, full]));
      refusal.toThrow(expect.objectContaining({ position: 1 }));
    }
    for (const option of [
      { delay: -1 },
      { delay: 1.5 },
      { priority: null },
      { route: 'a\0' },
      { destination: '\ud800' },
    ]) {
      expect(() => sendBatch([full, { body: 1, ...option } as Message])).toThrow(/message 1 cannot be stored/);
    }
    expect(rows()).toEqual([]);
  });

  test('refuses what it does not offer', () => {
    for (const other of [{ job: 'j' }, { id: '7' }, { columns: { c: 1 } }]) {
      expect(() => sendBatch([full, { body: 1, ...other }])).toThrow('not supported');
    }
    expect(() => sender.sendBatch([full], { signal: new AbortController().signal })).toThrow('not supported');
    expect(rows()).toEqual([]);
  });

  test('keeps lone surrogates and NUL in a body', () => {
    const body = ['\ud800', 'a\0b', '\u{1f600}', { '\0': '\udfff' }];
    sendBatch([{ body }]);
    expect(JSON.parse(rows()[0]!.body as string)).toEqual(body);
  });

  test('an empty batch sends no statement', () => {
    reader.exec('DROP TABLE messages');
    expect(sendBatch([])).toEqual([]);
    expect(() => sendBatch([full])).toThrow('no such table');
  });
});

test('works on a private database in memory', async () => {
  path = ':memory:';
  await open('values');
  expect(sendBatch([full, full])).toEqual([{ stored: 1n }, { stored: 2n }]);
});
