import { expect, test } from 'vitest';
import { messages, TestSubject } from './fixtures/sqlite-subject.ts';

const long = 'é'.repeat(40_000);

test.each([
  ['strips-nul', { text: ['a\0b'] }, { text: ['ab'] }],
  ['double-encodes', 'say "no"', '"say \\"no\\""'],
  ['array-as-set', [2, 1, 2], [1, 2]],
  ['surrogates-replaced', { text: 'x\ud800y' }, { text: 'x\ufffdy' }],
  ['cuts-at-64-kib', { text: long }, { text: long.slice(0, 32_768) }],
])('%s lies in the batch and on the single path', async (mutant, sent, stored) => {
  const subject = new TestSubject(mutant);
  await subject.sendBatch([{ body: 'before' }, { body: sent }]);
  await subject.port.send!({ body: sent }, {});
  expect(subject.bodies()).toEqual(['before', stored, stored]);
  expect(subject.lies).toBe(2);
});

test.each(['strips-nul', 'double-encodes', 'array-as-set', 'surrogates-replaced', 'cuts-at-64-kib'])(
  '%s keeps to the truth about ordinary bodies, and leaves unreadable ones to the backend',
  async (mutant) => {
    const subject = new TestSubject(mutant);
    const bodies = ['text', 1, [], [1, 2], { a: { b: '\u{1f600}' } }, null];
    await subject.sendBatch([...messages(3), ...bodies.map((body) => ({ body }))]);
    expect(subject.bodies().slice(3)).toEqual(bodies);
    let reads = 0;
    const unreadable = {
      get a() {
        reads += 1;
        throw new Error('not readable');
      },
    };
    expect(await subject.sendBatch([{ body: unreadable }])).toMatchObject({
      threw: expect.stringContaining('not readable'),
    });
    expect(reads).toBe(1);
    expect(subject.lies).toBe(0);
  },
);
