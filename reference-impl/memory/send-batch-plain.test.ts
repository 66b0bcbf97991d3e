import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Message, type ReportedOutcome, type SendBatchPort, UnsupportedOption } from '../../index.ts';
import type { Store } from '../../memory.ts';
import { openVariant } from './fixtures/open-variant.ts';

const now = 1_700_000_000_000;
let store: Store;
let sender: SendBatchPort;

beforeEach(async () => {
  vi.spyOn(Date, 'now').mockReturnValue(now);
  ({ store, sender } = await openVariant('plain'));
});
afterEach(() => void vi.restoreAllMocks());

function sendBatch(messages: Message[]): ReportedOutcome[] {
  return sender.sendBatch(messages, {}) as ReportedOutcome[];
}

test('stores every option, and null for what was left out, as the single path does', () => {
  const full: Message = {
    body: { a: 1 },
    destination: 'd',
    delay: 0,
    expiration: 5,
    priority: 0,
    route: '',
    headers: {},
  };
  const outcomes = [...sendBatch([full, { body: null }]), sender.send!(full, {}), sender.send!({ body: null }, {})];
  const common = { createdAt: now, attempts: 0 };
  const bare = {
    ...common,
    body: 'null',
    destination: null,
    dueAt: null,
    expiresAt: null,
    priority: null,
    route: null,
    correlationId: null,
    headers: null,
    dedupeKey: null,
  };
  const rich = {
    ...bare,
    body: '{"a":1}',
    destination: 'd',
    dueAt: now,
    expiresAt: now + 5,
    priority: 0,
    route: '',
    headers: '{}',
  };
  const ids = outcomes.map((outcome) =>
    'stored' in (outcome as object) ? (outcome as { stored: number }).stored : null,
  );
  expect(store.rows('messages')).toEqual([rich, bare, rich, bare].map((row, i) => ({ ...row, id: ids[i] })));
});

test('a refused row or commit fails every message, with the cause, and nothing is stored', () => {
  const refusal = new Error('refused by the store');
  let rows = 0;
  const atRow = {
    beforeRow() {
      if (++rows === 2) throw refusal;
    },
  };
  const atCommit = {
    beforeCommit() {
      throw refusal;
    },
  };
  for (const hook of [atRow, atCommit]) {
    store.hooks.add(hook);
    expect(sendBatch([{ body: 1 }, { body: 2 }, { body: 3 }])).toEqual(Array(3).fill({ failed: refusal }));
    expect(store.rows('messages')).toEqual([]);
    store.hooks.delete(hook);
  }
  expect(sendBatch([{ body: 1 }])).toEqual([{ stored: expect.any(Number) }]);
});

test('the first error stays the cause when the rollback fails as well', () => {
  const first = new Error('the first error');
  store.hooks.add({
    around(operation, run) {
      if (operation.kind === 'insert') throw first;
      if (operation.kind === 'rollback') throw new Error('the second error');
      return run();
    },
  });
  const [outcome] = sendBatch([{ body: 1 }]);
  expect(outcome).toMatchObject({ failed: { cause: first, message: expect.stringContaining('the second error') } });
});

test('refuses whole what it cannot store or does not offer', () => {
  const refusals = sendBatch([{ body: 1 }, { body: undefined }]);
  expect(refusals).toEqual(Array(2).fill({ failed: expect.objectContaining({ position: 1 }) }));
  expect(sendBatch([{ body: 1 }, { body: 2, job: 'j' }])).toEqual(
    Array(2).fill({ failed: expect.any(UnsupportedOption) }),
  );
  store.dropTable('messages');
  expect(sendBatch([{ body: 1 }])).toEqual([{ failed: expect.objectContaining({ name: 'StoreError' }) }]);
});

test('an empty batch is nothing', () => {
  expect(sendBatch([])).toEqual([]);
});
