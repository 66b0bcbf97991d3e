import { describe, expect, onTestFinished, test } from 'vitest';
import type { MutantTools } from '../../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../../kernel/outcome.ts';
import { KeyedQueue } from '../../keys/fixtures/keyed-queue.ts';
import type { Message, SendBatchPort } from '../../port.ts';
import { keyMutants } from './index.ts';

/** A queue with keys behind the mutant of that id, with what it holds and how often it has lied. */
function spoiled(id: string) {
  const came = { lies: 0 };
  const closing: (() => unknown)[] = [];
  const tools: MutantTools = {
    site: { provider: 'sqlite', mode: 'memory' },
    lied: () => {
      came.lies += 1;
    },
    hand: { snapshot() {}, restore() {}, edit() {} },
    later() {},
    atOpen() {},
    atClose: (work) => void closing.push(work),
  };
  class OpenQueue extends KeyedQueue {
    get rows() {
      return this.db.prepare('SELECT body, dedupe_key AS key FROM jobs ORDER BY id').all();
    }
  }
  const queue = new OpenQueue(':memory:');
  const mutant = keyMutants.find((m) => m.id === id)!;
  const port = mutant.wrap(bound(queue), tools) as SendBatchPort;
  onTestFinished(() => {
    for (const work of closing) work();
    queue.close();
  });
  return {
    port,
    came,
    /** Each row as `key: body`. */
    rows: () => queue.rows.map(({ key, body }) => `${key}: ${body}`),
    send: async (messages: Message[]) => port.sendBatch(messages, {}),
  };
}

/** The members of the port, as a host takes them from an object of any class. */
function bound(queue: KeyedQueue): SendBatchPort {
  return {
    sendBatch: (messages, options) => queue.sendBatch(messages, options),
    send: (message, options) => queue.send(message, options),
    begin: () => queue.begin(),
  };
}

const message = (dedupeKey: string, body: unknown = dedupeKey): Message => ({ body, dedupeKey });
const kinds = (outcomes: readonly ReportedOutcome[]) => outcomes.map((outcome) => Object.keys(outcome)[0]);

describe('a batch some of whose keys are taken', () => {
  test.each([
    ['duplicate-gets-an-id', ['stored', 'stored', 'stored']],
    ['duplicates-compacted', ['stored']],
    ['only-first-duplicate-named', ['duplicate', 'stored', 'stored']],
  ])('%s lies about what is told', async (id, told) => {
    const { send, came, rows } = spoiled(id);
    await send([message('b'), message('a')]);
    expect(came.lies).toBe(0);
    expect(kinds(await send([message('a'), message('b'), message('c')]))).toEqual(told);
    expect(came.lies).toBe(1);
    expect(rows()).toEqual(['b: "b"', 'a: "a"', 'c: "c"']);
  });

  test.each([
    ['all-duplicates-throw', [message('b'), message('a')]],
    ['one-replayed-item-rejects-all', [message('a'), message('c')]],
    ['replay-is-a-failure', [message('a'), message('b')]],
  ])('%s throws', async (id, again) => {
    const { send, came, rows } = spoiled(id);
    await send([message('a'), message('b')]);
    await expect(send(again)).rejects.toThrow();
    expect(came.lies).toBe(1);
    expect(rows()).toEqual(['a: "a"', 'b: "b"']);
  });

  test('old-key-hides-new-content says nothing of another body', async () => {
    const { send, came } = spoiled('old-key-hides-new-content');
    await send([message('a', 1)]);
    expect(await send([message('a', 1)])).toEqual([{ duplicate: 1 }]);
    expect(came.lies).toBe(0);
    expect(await send([message('a', 2)])).toEqual([{ duplicate: 1 }]);
    expect(came.lies).toBe(1);
  });

  test('batch-skips-the-key-check stores again what the single path has stored', async () => {
    const { port, send, came, rows } = spoiled('batch-skips-the-key-check');
    await port.send!(message('a', 1), {});
    await send([message('a', 1), message('b', 2), message('b', 2)]);
    expect(rows()).toEqual(['a: 1', 'null: 1', 'b: 2']);
    expect(came.lies).toBe(1);
  });
});

test('keys-lost-on-reconnect sends the batch after one that failed without its keys', async () => {
  const { send, came, rows } = spoiled('keys-lost-on-reconnect');
  await send([message('a')]);
  await expect(send([{ ...message('b'), route: 'none' }])).rejects.toThrow('route');
  await send([message('a')]);
  await send([message('a')]);
  expect(rows()).toEqual(['a: "a"', 'null: "a"']);
  expect(came.lies).toBe(1);
});

test('keys-noted-before-the-commit tells duplicates of nothing when a failed batch is sent again', async () => {
  const { send, came, rows } = spoiled('keys-noted-before-the-commit');
  await expect(send([message('a'), { ...message('b'), route: 'none' }])).rejects.toThrow('route');
  expect(came.lies).toBe(0);
  expect(await send([message('a'), message('c')])).toEqual([{ duplicate: 1_000_000_007 }, { stored: 1 }]);
  expect(rows()).toEqual(['c: "c"']);
  expect(came.lies).toBe(1);
});

describe('a key that stands twice in a batch', () => {
  test.each([
    ['later-twin-overwrites', ['a: 2'], [{ stored: 1 }, { duplicate: 1 }]],
    ['earlier-twin-stays', ['a: 1'], [{ stored: 1 }, { duplicate: 1 }]],
    ['duplicate-echoes-its-own-body', ['a: 1'], [{ stored: 1 }, { duplicate: 1, differs: true, about: { body: 2 } }]],
  ])('%s', async (id, stored, told) => {
    const { send, came, rows } = spoiled(id);
    expect(await send([message('a', 1), message('a', 2)])).toEqual(told);
    expect(rows()).toEqual(stored);
    expect(came.lies).toBe(1);
  });

  test('twin-fails-the-batch', async () => {
    const { send, came, rows } = spoiled('twin-fails-the-batch');
    await expect(send([message('a'), message('a')])).rejects.toThrow('UNIQUE constraint failed');
    expect(rows()).toEqual([]);
    expect(came.lies).toBe(1);
  });
});

describe('keys that differ', () => {
  test.each([
    ['key-folded-to-lower-case', 'Key', 'key'],
    ['key-trimmed', 'key', 'key '],
    ['key-without-leading-blanks', 'key', ' key'],
    ['key-cut-at-64', 'k'.repeat(64), 'k'.repeat(65)],
    ['key-read-as-a-number', '7', '007'],
    ['key-composed', 'é'.normalize('NFD'), 'é'.normalize('NFC')],
  ])('%s takes them for the same', async (id, one, other) => {
    const { send, came } = spoiled(id);
    expect(kinds(await send([message(one), message(other)]))).toEqual(['stored', 'duplicate']);
    expect(came.lies).toBe(1);
  });

  test('key-without-destination', async () => {
    const { send, came, rows } = spoiled('key-without-destination');
    await send([{ ...message('a', 1), destination: 'orders' }]);
    const batch = [
      { ...message('a', 1), destination: 'orders' },
      { ...message('a', 2), destination: 'letters' },
    ];
    expect(await send(batch)).toEqual([{ duplicate: 1 }, { duplicate: 1 }]);
    expect(rows()).toEqual(['a: 1']);
    expect(came.lies).toBe(1);
  });

  test('key-of-the-first-for-all, where some have none', async () => {
    const { send, came, rows } = spoiled('key-of-the-first-for-all');
    await send([message('a'), message('b')]);
    await send([message('c'), { body: 0 }, message('d')]);
    expect(rows()).toEqual(['a: "a"', 'b: "b"', 'c: "c"', 'null: 0', 'c-2: "d"']);
    expect(came.lies).toBe(1);
  });
});

describe('keys that are declared to be equal', () => {
  test.each([
    ['declared-case-tells-keys-apart', 'Key', 'key'],
    ['declared-space-tells-keys-apart', 'key', 'key '],
    ['declared-form-tells-keys-apart', 'é'.normalize('NFD'), 'é'.normalize('NFC')],
  ])('%s gives the second a key of its own, the same each time', async (id, one, other) => {
    const { send, came, rows } = spoiled(id);
    await send([message(one, 1), message(other, 2)]);
    expect(rows()).toEqual([`${one}: 1`, `${other} of ["${other}",false]: 2`]);
    expect(kinds(await send([message(other, 2), message(one, 1)]))).toEqual(['duplicate', 'duplicate']);
    expect(came.lies).toBe(2);
  });

  test('declared-destination-tells-keys-apart', async () => {
    const { send, came, rows } = spoiled('declared-destination-tells-keys-apart');
    await send([
      { ...message('a', 1), destination: 'orders' },
      { ...message('a', 2), destination: 'letters' },
    ]);
    expect(rows()).toEqual(['a: 1', 'a of ["a","letters"]: 2']);
    expect(came.lies).toBe(1);
  });

  test.each([
    ['lower-case-key-is-stored', 'Key', 'key'],
    ['trimmed-key-is-stored', 'key ', 'key'],
    ['composed-key-is-stored', 'é'.normalize('NFD'), 'é'.normalize('NFC')],
  ])('%s', async (id, sent, stored) => {
    const { send, came, rows } = spoiled(id);
    await send([message(sent, 1), message('other', 2)]);
    expect(rows()).toEqual([`${stored}: 1`, 'other: 2']);
    expect(came.lies).toBe(1);
  });
});

describe('a duplicate that is named by another row', () => {
  test.each([
    [
      'duplicate-found-by-key-alone',
      { dedupeKey: 'a', destination: 'orders' },
      { dedupeKey: 'a', destination: 'letters' },
    ],
    ['duplicate-found-by-folded-key', { dedupeKey: 'A' }, { dedupeKey: 'a' }],
  ])('%s', async (id, one, other) => {
    const { send, came } = spoiled(id);
    const batch = [
      { body: 1, ...one },
      { body: 2, ...other },
    ];
    expect(await send(batch)).toEqual([{ stored: 1 }, { stored: 2 }]);
    expect(await send([batch[1]!])).toEqual([{ duplicate: 2 }]);
    expect(came.lies).toBe(0);
    expect(await send(batch)).toEqual([{ duplicate: 2 }, { duplicate: 2 }]);
    expect(came.lies).toBe(1);
  });
});

test('late-duplicates-told-as-stored tells the truth of the first 500', async () => {
  const { send, came } = spoiled('late-duplicates-told-as-stored');
  const batch = Array.from({ length: 502 }, (_, slot) => message(`key-${slot}`));
  await send([batch[499]!, batch[500]!]);
  expect(came.lies).toBe(0);
  expect(kinds(await send(batch)).slice(498)).toEqual(['stored', 'duplicate', 'stored', 'stored']);
  expect(came.lies).toBe(1);
});

test.each([
  ['replace-changes-the-body-alone', { body: 2, priority: 1, route: 'one' }],
  ['replace-keeps-what-is-missing', { body: 2, priority: 2, route: 'one' }],
])('%s', async (id, expected) => {
  const sent: (readonly Message[])[] = [];
  const subject: SendBatchPort = {
    sendBatch(messages) {
      sent.push(messages);
      return messages.map(() => ({ stored: 1 }));
    },
  };
  let lies = 0;
  const tools = { lied: () => (lies += 1) } as unknown as MutantTools;
  const port = keyMutants.find((m) => m.id === id)!.wrap(subject, tools) as SendBatchPort;
  await port.sendBatch([{ ...message('a', 1), priority: 1, route: 'one' }], {});
  expect(lies).toBe(0);
  await port.sendBatch([{ ...message('a', 2), priority: 2 }, message('b')], {});
  expect(sent[1]).toEqual([{ dedupeKey: 'a', ...expected }, message('b')]);
  expect(lies).toBe(1);
});

describe('two writers of one key', () => {
  test('duplicate-on-a-held-lock does not wait for the transaction that has the key', async () => {
    const { port, send, came, rows } = spoiled('duplicate-on-a-held-lock');
    const transaction = await port.begin!();
    await port.sendBatch([message('a')], { transaction: transaction.handle });
    expect(await send([message('a')])).toEqual([{ duplicate: 1 }]);
    await transaction.rollback();
    expect(rows()).toEqual([]);
    expect(await send([message('a')])).toEqual([{ stored: expect.anything() }]);
    expect(came.lies).toBe(1);
  });

  test.each([
    ['check-then-insert', 'abc', 'abc', ['stored', 'stored', 'stored'], 6],
    ['check-then-insert', 'abc', 'cba', ['duplicate', 'duplicate', 'duplicate'], 3],
    ['locks-in-callers-order', 'abc', 'cba', 'deadlock detected', 5],
    ['locks-in-callers-order', 'abc', 'abc', ['duplicate', 'duplicate', 'duplicate'], 3],
    ['raw-deadlock-not-retryable', 'abc', 'cba', 'deadlock detected', 3],
  ])('%s: %s beside %s', async (id, one, other, told, stored) => {
    const { send, rows } = spoiled(id);
    const [first, second] = await Promise.allSettled(
      [one, other].map((keys) => send([...keys].map((key) => message(key)))),
    );
    expect(first).toMatchObject({ status: 'fulfilled' });
    const came = second!.status === 'fulfilled' ? kinds(second!.value) : second!.reason.message;
    expect(came).toEqual(told);
    expect(rows()).toHaveLength(stored);
  });

  test.each(['check-then-insert', 'locks-in-callers-order', 'raw-deadlock-not-retryable', 'deadlock-never-settles'])(
    '%s tells the truth of batches that come one after the other',
    async (id) => {
      const { send, came } = spoiled(id);
      await send([message('a'), message('b')]);
      expect(kinds(await send([message('a'), message('b')]))).toEqual(['duplicate', 'duplicate']);
      expect(kinds(await send([message('b'), message('a')]))).toEqual(['duplicate', 'duplicate']);
      expect(came.lies).toBe(0);
    },
  );
});
