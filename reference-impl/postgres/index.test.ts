import { expect, test } from 'vitest';
import backend from './index.ts';

test('says what each variant is', () => {
  const declared = Object.entries(backend.variants).map(([variant, { 'send-batch': entry }]) => {
    const { declare } = entry!;
    if (typeof declare === 'function') throw new TypeError('the same for every mode');
    const { chunk, givesUp, onFailure, clock, keyPolicy, keysEqual, extras, offers } = declare!;
    expect(offers).toEqual(expect.arrayContaining(['cancel', 'dedupeKey', 'transaction']));
    expect([clock, keyPolicy, keysEqual]).toEqual(['database', 'skip', ['destination']]);
    expect(extras).toEqual(expect.arrayContaining(['durable', 'persistent']));
    const own = [...offers!, ...extras!].filter((each) => each === 'chunkSize' || each === 'statusTable');
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure ?? 'throws', ...own];
  });
  expect(declared).toEqual([
    ['unnest', 'none', [], 'throws'],
    ['values', { rows: 500 }, [], 'outcomes', 'chunkSize'],
    ['copy', 'none', [], 'throws'],
    ['procedure', 'none', [], 'throws', 'statusTable'],
    ['loop', { rows: 1 }, ['batched'], 'throws'],
  ]);
});
