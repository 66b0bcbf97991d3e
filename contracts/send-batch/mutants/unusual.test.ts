import { expect, test } from 'vitest';
import type { Message } from '../port.ts';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

const spaced = ` ${'x'.repeat(300)} `;
const unusual: Partial<Message>[] = [
  { route: '007', headers: { a: 1 } },
  { route: spaced, priority: 40_000 },
  { correlationId: '000', headers: { b: 2 } },
  { priority: -40_000 },
  { headers: { b: 3 } },
];
const batch = unusual.map((options, slot): Message => ({ body: messages(5)[slot]!.body, ...options }));

const lies: [mutant: string, changed: Record<number, Record<string, unknown>>][] = [
  ['digits-become-a-number', { 0: { route: '7' }, 2: { correlationId: '0' } }],
  ['texts-cut-at-255', { 1: { route: spaced.slice(0, 255) } }],
  ['texts-trimmed', { 1: { route: spaced.trim() } }],
  ['priority-in-16-bits', { 1: { priority: 32_767 }, 3: { priority: -32_768 } }],
  ['headers-pile-up', { 2: { headers: '{"a":1,"b":2}' }, 4: { headers: '{"a":1,"b":3}' } }],
];

test.each(lies)('%s changes what it says, and lies as often', async (mutant, changed) => {
  const honest = new TestSubject();
  await honest.sendBatch(batch);
  const subject = new TestSubject(mutant);
  await subject.sendBatch(batch);
  const times = ({ createdAt: _created, dueAt: _due, expiresAt: _expires, ...row }: Record<string, unknown>) => row;
  const expected = honest.stored().map((row, slot) => times({ ...row, ...changed[slot] }));
  expect(subject.stored().map(times)).toEqual(expected);
  expect(subject.lies).toBe(Object.keys(changed).length);
});

test.each(lies)('%s has nothing to say of ordinary values', async (mutant) => {
  const subject = new TestSubject(mutant);
  await subject.sendBatch(messages(5));
  await subject.sendBatch(messages(3));
  expect(subject.lies).toBe(0);
});
