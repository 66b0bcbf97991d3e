import { expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

/** Thirteen messages: the first sets a route, the second sets two texts, the third sets them the other way round. */
const mixed: Message[] = [
  { body: 0, route: 'r0' },
  { body: 1, destination: 'd1', route: 'r1', priority: 1 },
  { body: 2, route: 'r2', destination: 'd2' },
  { body: 3 },
  ...messages(9, 'bare'),
];

test.each([
  [
    'columns-of-the-first-message',
    [
      ['r0', null, null],
      ['r1', null, null],
      ['r2', null, null],
      [null, null, null],
    ],
  ],
  [
    'values-in-own-key-order',
    [
      ['r0', null, null],
      ['r1', 'd1', 1],
      ['d2', 'r2', null],
      [null, null, null],
    ],
  ],
  [
    'missing-takes-the-neighbours',
    [
      ['r0', null, null],
      ['r1', 'd1', 1],
      ['r2', 'd2', 1],
      ['r2', 'd2', null],
    ],
  ],
])('%s lies about a large mixed batch', async (mutant, expected) => {
  const subject = new TestSubject(mutant);
  await subject.sendBatch(mixed);
  const rows = subject.stored().slice(0, 4);
  expect(rows.map(({ route, destination, priority }) => [route, destination, priority])).toEqual(expected);
  expect(rows.map(({ body }) => body)).toEqual(['0', '1', '2', '3']);
  expect(subject.lies).toBe(1);
});

test.each(['columns-of-the-first-message', 'values-in-own-key-order', 'missing-takes-the-neighbours'])(
  '%s keeps to the truth about small batches and about equal shapes',
  async (mutant) => {
    const subject = new TestSubject(mutant);
    await subject.sendBatch(mixed.slice(0, 12));
    await subject.sendBatch(messages(13));
    const sent = [...mixed.slice(0, 12), ...messages(13)];
    expect(subject.stored().map(({ route, destination, priority }) => [route, destination, priority])).toEqual(
      sent.map(({ route = null, destination = null, priority = null }) => [route, destination, priority]),
    );
    expect(subject.lies).toBe(0);
  },
);
